// The table, live: one feed brings the whole table as HTML; it is swapped in place, and cards travel to where they are now.
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const waiting = [];
let busy = false, sent = '', feed, hiding;

const table = () => document.getElementById('table');
const cards = root => new Map([...root.querySelectorAll('[data-k]')].map(card => [card.dataset.k, card]));

function parsed(html) {
  const held = document.createElement('template');
  held.innerHTML = html;
  return held.content.getElementById('table');
}

function swap(next) {
  const focus = document.activeElement, kept = focus?.dataset?.k, key = focus?.dataset?.key;
  table().replaceWith(next);
  rove();
  const again = kept ? cards(next).get(kept) ?? next.querySelector('.hand .card[tabindex="0"]')
    : key ? next.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  again?.focus({ preventScroll: true });
  const told = next.querySelector('.log')?.textContent, said = document.getElementById('said');
  if (told && said && said.textContent !== told) said.textContent = told;
  document.title = next.classList.contains('turn') ? '● Your turn – Euchre' : 'Euchre';
}

// Where each card was: by its face, and for a card that lay face down, the last back of the seat that played it.
function places(root) {
  const at = new Map([...cards(root)].map(([key, card]) => [key, card.getBoundingClientRect()]));
  for (const fan of root.querySelectorAll('[data-fan]')) {
    const back = fan.lastElementChild;
    if (back) at.set(`fan ${fan.dataset.fan}`, back.getBoundingClientRect());
  }
  return at;
}

async function move(next) {
  const before = places(table());
  swap(next);
  const moves = [];
  for (const [key, card] of cards(next)) {
    const hidden = !before.has(key), from = before.get(key) ?? before.get(`fan ${card.dataset.from}`);
    if (!from) continue;
    const to = card.getBoundingClientRect();
    const x = from.x + from.width / 2 - to.x - to.width / 2, y = from.y + from.height / 2 - to.y - to.height / 2;
    if (Math.abs(x) + Math.abs(y) < 2) continue;
    const turned = hidden ? ' rotateY(180deg)' : '';
    const steps = [{ transform: `translate(${x}px, ${y}px) scale(${from.width / to.width})${turned}` }, { transform: 'none' }];
    moves.push(card.animate(steps, { duration: 360, easing: 'cubic-bezier(.22,.8,.3,1)' }).finished);
  }
  await Promise.allSettled(moves);
}

async function draw() {
  if (busy) return;
  busy = true;
  while (waiting.length) {
    if (waiting.length > 3) waiting.splice(0, waiting.length - 1);
    const next = parsed(waiting.shift());
    if (!next || Number(next.dataset.version) < Number(table().dataset.version)) continue;
    if (calm.matches || document.hidden) swap(next); else await move(next);
  }
  busy = false;
}

function rove() {
  const hand = [...document.querySelectorAll('.hand .card')];
  const first = hand.find(card => !card.hasAttribute('aria-disabled')) ?? hand[0];
  for (const card of hand) card.tabIndex = card === first ? 0 : -1;
}

function notice(text) {
  document.querySelector('.notice')?.remove();
  const line = document.createElement('p');
  line.className = 'notice';
  line.setAttribute('role', 'alert');
  line.textContent = text;
  document.body.append(line);
  setTimeout(() => line.remove(), 3500);
}

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const answer = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } });
    if (answer.ok) return;
    const { error } = await answer.json();
    notice(error.code === 'stale' ? 'The table has moved on.' : error.message);
  } catch {
    notice('The table cannot be reached; trying again.');
  }
  sent = '';
  listen();
}

addEventListener('submit', event => {
  const button = event.submitter;
  if (!table()?.contains(event.target)) return;
  event.preventDefault();
  if (button?.hasAttribute('aria-disabled')) { notice(button.dataset.why || 'Not now.'); return; }
  const version = table().dataset.version;
  if (sent === version) return; // one act for each version, however often somebody clicks
  sent = version;
  send(event.target, button);
});

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select')) return;
  const hand = [...document.querySelectorAll('.hand .card')];
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step && hand.length) {
    const at = hand.indexOf(document.activeElement);
    const to = hand[(at + step + hand.length) % hand.length] ?? hand[0];
    for (const card of hand) card.tabIndex = card === to ? 0 : -1;
    to.focus();
    event.preventDefault();
  } else if (/^[1-9]$/.test(event.key)) hand[event.key - 1]?.focus();
  else if (/^[a-z]$/i.test(event.key)) document.querySelector(`[data-key="${event.key.toLowerCase()}"]`)?.click();
});

function listen() {
  clearTimeout(hiding);
  if (feed && feed.readyState !== EventSource.CLOSED) return;
  const address = new URL(document.body.dataset.feed, location);
  address.searchParams.set('seen', table().dataset.version);
  feed = new EventSource(address);
  feed.addEventListener('table', event => { waiting.push(event.data); draw(); });
  feed.addEventListener('open', () => document.body.classList.remove('lost'));
  feed.addEventListener('error', () => {
    document.body.classList.add('lost');
    if (feed.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

// Browsers open six connections to a host: a page that nobody looks at gives its feed back.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) hiding = setTimeout(() => feed.close(), 15000); else listen();
});
addEventListener('pagehide', () => feed?.close());
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
listen();
rove();
