// What is live: one feed brings a whole table, or a part of an event, as HTML; it is swapped in place, and cards travel.
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const waiting = [];
let busy = false, sent = '', feed, hiding, tries = 0, hurry = () => {};

const table = () => document.querySelector('[data-version]');
const keeps = () => 'keep' in document.body.dataset; // pages of an event: what is typed stays, what is sent is sent again
const cards = within => new Map([...within.querySelectorAll('[data-k]')].map(card => [card.dataset.k, card]));
const hand = () => [...document.querySelectorAll('.hand [data-k]')];
const usable = card => !card.hasAttribute('aria-disabled');
const hurried = () => new Promise(done => { hurry = done; }); // whoever acts waits for nothing
const rest = ms => Promise.race([hurried(), new Promise(done => setTimeout(done, ms))]);

// Showing a version

function parsed(html) {
  const held = document.createElement('template');
  held.innerHTML = html;
  return held.content.querySelector('[data-version]');
}

function swap(next) {
  const was = table(), focus = document.activeElement, kept = focus?.dataset?.k, key = focus?.dataset?.key;
  const open = was.querySelector('.more[open] summary')?.textContent, lifted = was.querySelector('.lifted')?.dataset.k;
  if (keeps()) keep(was, next);
  was.replaceWith(next);
  rove();
  const again = kept ? cards(next).get(kept) ?? next.querySelector('.hand .card[tabindex="0"]')
    : key ? next.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
  again?.focus({ preventScroll: true });
  if (lifted) cards(next).get(lifted)?.matches('.hand .card:not([aria-disabled])') && lift(cards(next).get(lifted));
  for (const more of next.querySelectorAll('.more')) more.open ||= more.firstElementChild.textContent === open;
  const told = next.querySelector('.log')?.textContent, said = document.getElementById('said');
  if (told && said.textContent !== told) said.textContent = told;
  ring(was, next);
  gather(next);
}

// A complete trick lies open for a moment, so that its last card is seen; then its cards leave the page.
function gather(within) {
  const middle = within.querySelector('.middle[data-open]');
  if (!middle) return;
  setTimeout(async () => {
    if (!middle.isConnected) return;
    middle.classList.add('gathered');
    await Promise.allSettled(middle.getAnimations({ subtree: true }).map(one => one.finished));
    for (const gone of [...middle.querySelectorAll(':scope > .card'), ...within.querySelectorAll('.fell')]) gone.remove();
    if (middle.isConnected) document.getElementById('said').textContent = '';
  }, 1000 * middle.dataset.open);
}

// Whoever types is not disturbed: fields keep what was written, and what was opened stays open.
function keep(was, next) {
  const names = within => {
    const seen = new Map();
    return new Map([...within.querySelectorAll('input:not([type=hidden]), textarea, select, details')].map(one => {
      const form = one.closest('form'), at = form ? ['do', 'r', 't'].map(name => form.elements[name]?.value ?? '').join() : '';
      const name = `${at} ${one.name ?? one.firstElementChild.textContent.replace(/\d/g, '')} ${one.type === 'checkbox' ? one.value : ''}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return [`${name} ${seen.get(name)}`, one];
    }));
  };
  const later = names(next), focus = document.activeElement;
  for (const [name, one] of names(was)) {
    const same = later.get(name);
    if (!same || (one.form && 'sent' in one.form.dataset)) continue;
    if (one.matches('details')) same.open = one.open;
    else if (one.type === 'checkbox' || one.type === 'radio') { if (one.checked !== one.defaultChecked) same.checked = one.checked; }
    else if (one.type !== 'file' && (one.matches('select') ? one.value : one.value !== one.defaultValue)) same.value = one.value;
    if (one === focus) queueMicrotask(() => { same.focus({ preventScroll: true }); if (one.selectionStart != null) same.setSelectionRange(one.selectionStart, one.selectionEnd); });
  }
}

function ring(was, next) {
  const turn = next.classList.contains('turn');
  document.title = turn ? `● Your turn – ${document.body.dataset.title}` : document.body.dataset.title;
  if (turn && !was.classList.contains('turn') && !root.classList.contains('quiet')) chime();
  const clock = next.querySelector('[data-left]');
  if (clock) clock.dataset.until = performance.now() + 1000 * clock.dataset.left;
}

const two = number => String(number).padStart(2, '0');
function told(seconds) {
  const whole = Math.abs(seconds);
  return `${seconds < 0 ? '-' : ''}${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

let audio;
function chime() {
  if (!navigator.userActivation?.hasBeenActive) return; // browsers keep pages quiet that nobody has touched
  audio ??= new AudioContext();
  for (const [number, pitch] of [659, 880].entries()) {
    const note = audio.createOscillator(), loud = audio.createGain(), at = audio.currentTime + number * .12;
    note.frequency.value = pitch;
    loud.gain.setValueAtTime(.06, at);
    loud.gain.exponentialRampToValueAtTime(.0005, at + .3);
    note.connect(loud).connect(audio.destination);
    note.start(at);
    note.stop(at + .3);
  }
}

setInterval(() => {
  const clock = document.querySelector('[data-until]');
  if (!clock) return;
  const left = Math.ceil((clock.dataset.until - performance.now()) / 1000);
  clock.textContent = 'minutes' in clock.dataset ? told(left) : `${Math.max(0, left)} s`;
  clock.parentElement.classList.toggle('up', left <= 0);
  const call = clock.parentElement.querySelector('[data-calls]');
  if (!call) return;
  const [, called = ''] = call.dataset.calls.split('|').map(one => one.split(':')).find(([seconds]) => left <= seconds) ?? [];
  if (call.textContent !== called) { call.textContent = called; if (called) chime(); }
}, 500);

// Where each card was: by its face, and for a card that lay face down, the last back of the seat that played it.
function places(within) {
  const at = new Map([...cards(within)].map(([key, card]) => [key, card.getBoundingClientRect()]));
  for (const fan of within.querySelectorAll('[data-fan]')) {
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
    const turned = hidden && card.dataset.from ? turnOver(card) : '';
    const steps = [{ transform: `translate(${x}px, ${y}px) scale(${from.width / to.width})${turned}` }, { transform: 'none' }];
    const moving = card.animate(steps, { duration: 340, easing: 'cubic-bezier(.22,.8,.3,1)' });
    moving.onfinish = () => { card.classList.remove('turning'); card.querySelector('.bk')?.remove(); };
    moves.push(moving.finished);
  }
  await Promise.allSettled(moves);
}

// The face of a card that was played from a hidden hand lies on the other side of the back it had.
function turnOver(card) {
  const back = card.querySelector('.f').cloneNode(true);
  back.setAttribute('class', 'bk');
  back.firstElementChild.setAttribute('href', '#back');
  card.append(back);
  card.classList.add('turning');
  return ' rotateY(180deg)';
}

async function draw() {
  if (busy) return;
  busy = true;
  while (waiting.length) {
    if (waiting.length > 3) waiting.splice(0, waiting.length - 1);
    const next = parsed(waiting.shift());
    if (!next || Number(next.dataset.version) < Number(table().dataset.version)) continue;
    if (calm.matches || document.hidden) swap(next); else await Promise.race([move(next), hurried()]);
    const acted = sent.startsWith(`${next.dataset.version} `), whole = next.querySelector('.middle .wins');
    if (whole && !acted && !document.hidden) await rest(document.body.dataset.hold); // a whole trick is looked at
  }
  busy = false;
}

// Keeping up

function listen() {
  clearTimeout(hiding);
  if (!table() || (feed && feed.readyState !== EventSource.CLOSED)) return;
  const address = new URL(document.body.dataset.feed, location);
  address.searchParams.set('version', table().dataset.version);
  feed = new EventSource(address);
  feed.addEventListener('table', event => { waiting.push(event.data); draw(); });
  feed.addEventListener('open', () => { tries = 0; lost(false); });
  feed.addEventListener('error', () => {
    lost(true);
    if (feed.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, Math.min(1000 * 2 ** tries++, 15000));
    if (keeps() && tries > 1) ended();
  });
}

// A link that was ended says so on a page of its own.
async function ended() {
  try {
    if ((await fetch(location, { headers: { Accept: 'text/html' } })).status === 403) location.reload();
  } catch { /* not reached, so nothing is known */ }
}

function lost(gone) {
  document.querySelector('.lost')?.remove();
  if (gone) notice(keeps() ? 'Not connected. What you tap is sent as soon as the desk can be reached.' : 'The table cannot be reached. Your seat is kept; trying again…', 'lost');
}

// Browsers open six connections to a host: a page that nobody looks at gives its feed back.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) hiding = setTimeout(() => feed?.close(), 15000); else listen();
});
addEventListener('pagehide', () => feed?.close());
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
addEventListener('online', listen);

function notice(text, kind = '') {
  document.querySelector(`.notice${kind ? `.${kind}` : ':not(.lost)'}`)?.remove();
  const line = document.createElement('p');
  line.className = `notice ${kind}`;
  line.setAttribute('role', 'alert');
  line.textContent = text;
  document.body.append(line);
  if (!kind) setTimeout(() => line.remove(), 4000);
}

// Doing something

// What is sent again is done once: the same act of the same version has the same name.
async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button)), often = keeps() ? [300, ...Array(60).fill(2000), 0] : [300, 1000, 3000, 0];
  form.dataset.sent = '';
  for (const pause of often) {
    try {
      const answer = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } });
      if (answer.ok) {
        lost(false);
        if ((await answer.json()).new) location.reload(); // the feed was opened as nobody's
        return;
      }
      if (answer.status !== 503 || !pause) {
        notice((await answer.json()).error.message);
        delete form.dataset.sent;
        break;
      }
    } catch {
      lost(true);
    }
    await new Promise(done => setTimeout(done, pause));
  }
  sent = '';
  listen();
}

function lift(card) {
  document.querySelector('.lifted')?.classList.remove('lifted');
  card.classList.add('lifted');
}

addEventListener('click', event => {
  const card = event.target.closest('.hand button.card'), link = event.target.closest('a[data-dialog]');
  if (link && !event.ctrlKey && !event.metaKey) { event.preventDefault(); show(link.href); }
  // Whoever taps lifts a card first, and taps again to play it; keys are aimed well enough.
  if (!card || !event.detail || !usable(card) || root.classList.contains('swift')) return;
  if (!card.classList.contains('lifted')) { event.preventDefault(); lift(card); }
});

addEventListener('submit', event => {
  const button = event.submitter, form = event.target;
  const ours = table()?.contains(form) || form.closest('.menu');
  if (!ours || form.method !== 'post' || 'plain' in form.dataset) return;
  event.preventDefault();
  if (button && !usable(button)) { notice(button.title || 'Not now.'); return; }
  form.closest('details')?.removeAttribute('open');
  const version = `${table().dataset.version} ${form.action} ${keeps() ? new URLSearchParams(new FormData(form, button)) : ''}`;
  if (sent === version && !form.closest('.menu')) return; // one act for each version, however often somebody clicks
  sent = version;
  hurry();
  send(form, button);
});

addEventListener('change', event => {
  const wanted = Number(document.querySelector('[data-picks]')?.dataset.picks);
  const picked = [...document.querySelectorAll('.pick input:checked')];
  if (wanted && picked.length > wanted) event.target.checked = false;
});

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input:not([type=checkbox]), select, textarea')) return;
  if (document.querySelector('dialog[open]')) return;
  const held = hand(), step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step && held.length) {
    const at = held.indexOf(document.activeElement.closest('.card'));
    reach(held[at < 0 ? 0 : (at + step + held.length) % held.length]);
    event.preventDefault();
  } else if (/^[1-9]$/.test(event.key)) {
    const card = held[event.key - 1], again = card && document.activeElement === card;
    if (again) card.click(); else if (card) reach(card);
  } else if (/^[a-z]$/i.test(event.key)) {
    document.querySelector(`[data-key="${event.key.toLowerCase()}"]`)?.click();
  }
});

function reach(card) {
  for (const one of hand()) if (one.matches('button')) one.tabIndex = one === card ? 0 : -1;
  (card.querySelector('input') ?? card).focus();
}

function rove() {
  const held = hand().filter(card => card.matches('button')), first = held.find(usable) ?? held[0];
  for (const card of held) card.tabIndex = card === first ? 0 : -1;
}

// Pages beside the table open upon it

async function show(address) {
  const dialog = document.getElementById('dialog'), inside = dialog.lastElementChild, step = document.activeElement?.rel;
  document.querySelector('.menu details')?.removeAttribute('open');
  try {
    const answer = await fetch(address, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
    inside.replaceChildren(document.importNode(page, true));
  } catch {
    notice('The table cannot be reached. Try again in a moment.');
    return;
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  if (step) (inside.querySelector(`[rel="${step}"]`) ?? inside.querySelector('[rel]'))?.focus();
  check(inside);
}

// Was this deck sealed before it was dealt? Checked here, by nobody but this browser.

export function check(within) {
  const box = within.querySelector('[data-check]');
  if (!box) return;
  const { match, opening, bound, root, leaves, botLeaf, opened } = box.dataset;
  const sealed = leaves.split(' '), open = opened.trim().split(' ').filter(Boolean);
  const whole = sha256(opening) === match && sha256(bound + sealed.join('') + botLeaf) === root;
  const wrong = open.filter(one => sha256(`leftbower leaf 1:${one}`) !== sealed[one.split(':')[0]]);
  box.className = whole && !wrong.length ? 'check fits' : 'check misfit';
  box.textContent = !whole ? '✗ The envelopes do not belong to their number. Do not trust this deal.'
    : wrong.length ? `✗ The envelope of ${wrong[0].split(':')[1]} held something else. Do not trust this deal.`
      : `✓ Your own browser has checked it: ${sealed.length} envelopes belong to the number, and all ${open.length} opened ones held what they should.`;
}

// SHA-256 of ours: a hall's plain HTTP has no crypto.subtle.
export function sha256(text) {
  const bytes = new TextEncoder().encode(text), words = new Uint32Array(((bytes.length + 72) >> 6) * 16);
  bytes.forEach((byte, at) => { words[at >> 2] |= byte << (24 - 8 * (at & 3)); });
  words[bytes.length >> 2] |= 0x80 << (24 - 8 * (bytes.length & 3));
  words[words.length - 1] = bytes.length * 8;
  const primes = [];
  for (let one = 2; primes.length < 64; one++) if (primes.every(prime => one % prime)) primes.push(one);
  const part = (number, power) => ((number ** power % 1) * 2 ** 32) >>> 0;
  const keys = primes.map(prime => part(prime, 1 / 3)), state = primes.slice(0, 8).map(prime => part(prime, 1 / 2));
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let block = 0; block < words.length; block += 16) {
    const w = [...words.subarray(block, block + 16)];
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at++) {
      if (at > 15) {
        const x = w[at - 15], y = w[at - 2];
        w[at] = (w[at - 16] + w[at - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))) | 0;
      }
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + keys[at] + w[at]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) | 0; });
  }
  return state.map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

// Passkeys: the browser asks for a finger or a face, and nothing of that comes here

async function ask(address, body) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: body && JSON.stringify(body) }), told = await answer.json();
  if (!answer.ok) throw new Error(told.error.message);
  return told;
}

const passkeys = {
  async add() {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await ask('/api/me/passkey-options'));
    const label = document.querySelector('[data-label]').value;
    await ask('/api/me/passkeys', { credential: (await navigator.credentials.create({ publicKey })).toJSON(), label });
    location.assign('/account?done=passkey');
  },
  async 'sign-in'() {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await ask('/api/sessions/passkey-options'));
    await ask('/api/sessions/passkey', { credential: (await navigator.credentials.get({ publicKey })).toJSON() });
    location.assign('/');
  },
};
for (const button of document.querySelectorAll('[data-passkey]')) {
  button.hidden = !globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON;
  button.addEventListener('click', () => {
    button.disabled = true;
    passkeys[button.dataset.passkey]()
      .catch(why => notice(why.name === 'NotAllowedError' ? 'No passkey was used.' : `That did not work: ${why.message}`))
      .finally(() => { button.disabled = false; });
  });
}

check(document);
if (table()) { listen(); rove(); ring(table(), table()); gather(table()); }
