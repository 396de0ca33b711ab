// What is wrong with a page as it lies in its window; of one that scrolls, each control is looked at where it can be.
(scrolls) => {
  const wrong = [], seen = one => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
  const name = one => one.getAttribute('aria-label') || one.textContent.trim().slice(0, 30) || one.tagName;
  const controls = [...document.querySelectorAll('button, a, select, summary, input:not([type=hidden])')].filter(seen);
  for (const one of controls) {
    if (scrolls) one.scrollIntoView({ block: 'center' });
    const at = one.getBoundingClientRect();
    if (at.left < -1 || at.top < -1 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1) wrong.push(`outside: ${name(one)}`);
    const hit = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
    if (hit !== one && !one.contains(hit) && !hit?.contains(one)) wrong.push(`covered: ${name(one)} by ${name(hit)}`);
    const inline = one.matches('p a, li a, .score a'), ticked = one.matches('[type=checkbox], [type=radio]');
    if (!inline && !ticked && (at.height < 43.5 || at.width < 43.5)) wrong.push(`small: ${name(one)} ${at.width} ${at.height}`);
  }
  const plain = controls.filter(one => !one.matches('.hand .card'));
  for (const [at, one] of plain.entries()) for (const other of plain.slice(at + 1)) {
    if (one.contains(other) || other.contains(one)) continue;
    const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (x > 1 && y > 1 && !scrolls) wrong.push(`overlap: ${name(one)} and ${name(other)}`);
  }
  const cards = [...document.querySelectorAll('.hand [data-k]')].map(one => one.getBoundingClientRect());
  for (let at = 1; at < cards.length; at++) {
    const x = Math.abs(cards[at].x - cards[at - 1].x), y = Math.abs(cards[at].y - cards[at - 1].y);
    if (x < 43.5 && y < 43.5) wrong.push(`cards ${at} and ${at + 1}: ${x}`);
  }
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !seen(one) || one.closest('.sr, option')) continue;
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline') wrong.push(`cut: ${name(one)}`);
    const at = one.getBoundingClientRect();
    if (!scrolls && (at.right > innerWidth + 1 || at.bottom > innerHeight + 1 || at.left < -1)) wrong.push(`text outside: ${name(one)}`);
  }
  const felt = document.querySelector('.felt');
  if (felt && felt.scrollHeight > felt.clientHeight + 1) wrong.push(`the felt overflows by ${felt.scrollHeight - felt.clientHeight}`);
  if (document.documentElement.scrollHeight > innerHeight + 1 || document.documentElement.scrollWidth > innerWidth + 1) wrong.push('scrolls');
  return [...new Set(wrong)];
}
