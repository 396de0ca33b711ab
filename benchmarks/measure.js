// List what is wrong with the layout of a page. On a page that scrolls, each control is scrolled into view first.
(scrolls) => {
  const problems = [];
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const name = (element) =>
    element.getAttribute('aria-label') || element.textContent.trim().slice(0, 30) || element.tagName;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);
  // A plate is drawn smaller than the area that a finger can touch.
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const inset = element.matches('.plate') ? parseFloat(getComputedStyle(element, '::before').top) || 0 : 0;
    return new DOMRect(left, top + inset, right - left, bottom - top - 2 * inset);
  };
  const shared = (a, b) => ({
    x: Math.min(a.right, b.right) - Math.max(a.left, b.left),
    y: Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
  });
  const meets = (a, b) => {
    const { x, y } = shared(a, b);
    return x > 1 && y > 1;
  };
  const isOutside = ({ left, top, right, bottom }) =>
    left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  const isHit = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit === element || element.contains(hit) || hit?.contains(element);
  };

  const controls = all('button, a, select, summary, input:not([type=hidden])');
  for (const control of controls) {
    if (scrolls) control.scrollIntoView({ block: 'center' });
    const rect = control.getBoundingClientRect();
    if (isOutside(rect)) problems.push(`outside: ${name(control)}`);
    const isPartOfDeck = control.matches('.ribbon input, .hand input');
    const x = isPartOfDeck ? rect.x + 5 : rect.x + rect.width / 2;
    const y = control.matches('.hand *') ? rect.y + 22 : rect.y + rect.height / 2;
    if (!isHit(control, x, y)) {
      const hit = document.elementFromPoint(x, y);
      problems.push(`covered: ${name(control)} by ${hit ? name(hit) : 'nothing'}`);
    }
    const isInline = control.matches('p a, li a, .score a');
    const isBox = control.matches('[type=checkbox], [type=radio]');
    if (!isInline && !isBox && (rect.height < 43.5 || rect.width < 43.5)) {
      problems.push(`small: ${name(control)} ${rect.width} ${rect.height}`);
    }
  }
  const others = controls.filter((control) => !control.matches('.hand *, .ribbon *, .suit *'));
  const badges = all('.tag, .say, .trump, .tab, .cap');
  const parts = scrolls ? [] : [...others, ...badges];
  for (const [index, first] of parts.entries()) {
    for (const second of parts.slice(index + 1)) {
      if (first.contains(second) || second.contains(first)) continue;
      if (meets(box(first), box(second))) problems.push(`overlap: ${name(first)} and ${name(second)}`);
    }
  }
  for (const badge of badges) {
    const rect = box(badge);
    if (isOutside(rect)) problems.push(`badge outside: ${name(badge)}`);
    for (const x of [rect.left + 4, rect.right - 4]) {
      const hit = document.elementFromPoint(x, rect.y + rect.height / 2);
      const isOwn = isHit(badge, x, rect.y + rect.height / 2) || hit?.closest('.seat, .hand > .card')?.contains(badge);
      if (!isOwn) problems.push(`badge covered: ${name(badge)} by ${hit ? name(hit) : 'nothing'}`);
    }
  }

  // Cards: trick cards lie apart, and nothing covers an index
  const trick = all('.place > .card');
  for (const [index, first] of trick.entries()) {
    for (const second of trick.slice(index + 1)) {
      const { x, y } = shared(box(first), box(second));
      const part = (Math.max(0, x) * Math.max(0, y)) / (box(first).width * box(first).height);
      if (part > 0.2) problems.push(`trick cards overlap by ${part.toFixed(2)}: ${name(first)} and ${name(second)}`);
    }
    if (box(first).width < 43.5) problems.push(`small trick card: ${name(first)} ${box(first).width}`);
  }
  for (const card of [...trick, ...all('.hand > [data-k]')]) {
    const rect = box(card);
    const index = { left: rect.left + 2, top: rect.top + 2, right: rect.left + rect.width * .2,
      bottom: rect.top + rect.height * .3 };
    for (const [x, y] of [[.12, .1], [.12, .26]]) {
      const at = [rect.left + rect.width * x, rect.top + rect.height * y];
      const hit = document.elementFromPoint(...at);
      if (!isHit(card, ...at)) problems.push(`index covered: ${card.dataset.k} by ${hit ? name(hit) : 'nothing'}`);
    }
    for (const part of parts) {
      if (!card.contains(part) && meets(index, box(part))) problems.push(`on an index: ${name(part)}`);
    }
  }
  const cards = all('.hand > [data-k]').map(box);
  for (let index = 1; index < cards.length; index++) {
    const x = Math.abs(cards[index].x - cards[index - 1].x);
    const y = Math.abs(cards[index].y - cards[index - 1].y);
    if (x < 43.5 && y < 43.5) problems.push(`cards ${index} and ${index + 1}: ${x}`);
  }

  // Text: nothing cut; the log may end in an ellipsis, except in its last sentence
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !isVisible(element) || element.closest('.sr, option, .log > span')) continue;
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') {
      problems.push(`cut: ${name(element)}`);
    }
    const rect = box(element);
    if (!scrolls && (rect.right > innerWidth + 1 || rect.bottom > innerHeight + 1 || rect.left < -1)) {
      problems.push(`text outside: ${name(element)}`);
    }
  }
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1) problems.push('scrolls');
  for (const panel of all('.panel')) {
    if (panel.scrollHeight > panel.clientHeight + 1) problems.push(`the panel scrolls: ${name(panel)}`);
  }
  return [...new Set(problems)];
}
