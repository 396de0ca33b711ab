// Buttons that copy, share or print, on any page. Sharing needs a browser that can, and HTTPS.

if (navigator.share) document.documentElement.classList.add('can-share');

document.addEventListener('click', event => {
  const button = event.target.closest('[data-copy], [data-share], [data-print]');
  if (!button) return;
  if ('print' in button.dataset) print();
  else if ('share' in button.dataset) share(button);
  else copy(button);
});

async function share(button) {
  try {
    await navigator.share({ title: button.dataset.share, url: button.dataset.url ?? location.href });
  } catch {
    // closed without sharing
  }
}

// Plain HTTP has no clipboard, so the text is selected and copied as by hand.
async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
  } else {
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    document.execCommand('copy');
  }
  const label = button.textContent;
  button.textContent = button.dataset.done;
  setTimeout(() => { button.textContent = label; }, 2000);
}
