// List what is wrong with the layout of a page. On a page that scrolls, each control is scrolled into view first.
(scrolls) => {
  const problems = [];
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const name = (element) =>
    element.getAttribute('aria-label') || element.textContent.trim().slice(0, 30) || element.tagName;
  const selector = 'button, a, select, summary, input:not([type=hidden])';
  const controls = [...document.querySelectorAll(selector)].filter(isVisible);
  for (const control of controls) {
    if (scrolls) control.scrollIntoView({ block: 'center' });
    const box = control.getBoundingClientRect();
    if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) {
      problems.push(`outside: ${name(control)}`);
    }
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (hit !== control && !control.contains(hit) && !hit?.contains(control)) {
      problems.push(`covered: ${name(control)} by ${hit ? name(hit) : 'nothing'}`);
    }
    const isInline = control.matches('p a, li a, .score a');
    const isBox = control.matches('[type=checkbox], [type=radio]');
    if (!isInline && !isBox && (box.height < 43.5 || box.width < 43.5)) {
      problems.push(`small: ${name(control)} ${box.width} ${box.height}`);
    }
  }
  const others = controls.filter((control) => !control.matches('.hand .card'));
  for (const [index, first] of others.entries()) {
    for (const second of others.slice(index + 1)) {
      if (first.contains(second) || second.contains(first)) continue;
      const a = first.getBoundingClientRect();
      const b = second.getBoundingClientRect();
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 1 && y > 1 && !scrolls) problems.push(`overlap: ${name(first)} and ${name(second)}`);
    }
  }
  const cards = [...document.querySelectorAll('.hand [data-k]')].map((card) => card.getBoundingClientRect());
  for (let index = 1; index < cards.length; index++) {
    const x = Math.abs(cards[index].x - cards[index - 1].x);
    const y = Math.abs(cards[index].y - cards[index - 1].y);
    if (x < 43.5 && y < 43.5) problems.push(`cards ${index} and ${index + 1}: ${x}`);
  }
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !isVisible(element) || element.closest('.sr, option')) continue;
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') {
      problems.push(`cut: ${name(element)}`);
    }
    const box = element.getBoundingClientRect();
    if (!scrolls && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1)) {
      problems.push(`text outside: ${name(element)}`);
    }
  }
  const felt = document.querySelector('.felt');
  if (felt && felt.scrollHeight > felt.clientHeight + 1) {
    problems.push(`the felt overflows by ${felt.scrollHeight - felt.clientHeight}`);
  }
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1) problems.push('scrolls');
  return [...new Set(problems)];
}
