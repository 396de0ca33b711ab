// The print button beside new links.

document.querySelector('[data-print]').addEventListener('click', () => print());
