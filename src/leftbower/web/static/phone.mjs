// The phone of one side of a table: what is tapped is queued in localStorage and sent in order, so that nothing is
// lost while the desk can't be reached, however long that takes, nor by a reload.
// Texts are in the phone's fragment. Each entry of the queue:
//   id: tells the server that it has seen the entry before
//   round, fields: the form as it is sent; hands: how many hands the table had before
//   side, points: what a tap scores; label, why: the line in the list, and its words for the desk
//   at: when it was tapped; tried, sent: whether it may have, and has, reached the server; refused: why it was refused

import { fragment, pause, showNotice } from './feed.mjs';

const RETRY_MS = 2000;
const TIMEOUT_MS = 15000;
const SHOWN_AFTER_MS = 2500;
const DOUBLE_TAP_MS = 500;
const RETRIED = new Set([429, 502, 503, 504]);
const VERSIONED = new Set(['confirm', 'dispute', 'keep']);
const queueKey = () => `leftbower ${location.pathname} ${fragment().dataset.phone}`;

let queue = [];
let openKey = '';
let lastTap = { tap: '', at: 0 };
let isSending = false;

function load() {
  if (openKey === queueKey()) return;
  openKey = queueKey();
  queue = JSON.parse(localStorage.getItem(openKey) ?? '[]').filter(entry => !entry.sent);
}

function save() {
  const waiting = queue.filter(entry => !entry.sent);
  if (waiting.length) localStorage.setItem(openKey, JSON.stringify(waiting));
  else localStorage.removeItem(openKey);
}

// Score

// The match as the desk knows it, in the order of the table's sides.
function matchAtDesk() {
  const { points, games, hands, played, bestOf, target, winBy, fixedHands } = fragment().dataset;
  return {
    points: points.split('-').map(Number),
    games: games.split('-').map(Number),
    hands: Number(hands ?? Infinity),
    played: Number(played),
    rules: { bestOf, target, winBy, fixedHands },
    isOver: hands === undefined || !('scoring' in fragment().dataset),
  };
}

// The match after another hand; the server decides by the same rules when it gets the hand.
function addHand(match, { side, points }) {
  if (match.gameOver) Object.assign(match, { points: match.points.map(() => 0), played: 0, gameOver: false });
  if (side >= 0) match.points[side] += points;
  match.hands += 1;
  match.played += 1;
  const [best, next] = [...match.points].sort((first, second) => second - first);
  const { bestOf, target, winBy, fixedHands } = match.rules;
  const isTied = best === next;
  match.gameOver = Number(fixedHands) ?
    match.played >= fixedHands && (!isTied || bestOf === '1') :
    best >= target && best - next >= winBy;
  if (match.gameOver && !isTied) match.games[match.points.indexOf(best)] += 1;
  match.isOver = match.gameOver && (bestOf === '1' || Math.max(...match.games) > bestOf / 2);
  return match;
}

const isTap = entry => entry.side !== undefined;
const isUndo = entry => entry.fields.command === 'back';

// Is an entry not yet in the match? One that the desk already shows is, even if its answer was lost.
function isMissing(entry, match) {
  if (entry.refused || entry.round !== fragment().dataset.round) return false;
  return isTap(entry) ? entry.hands >= match.hands : isUndo(entry) && entry.hands === match.hands;
}

// Adds an entry to the match; of the hand that is undone only the desk knows the points.
function addEntry(match, entry) {
  if (isTap(entry)) addHand(match, entry);
  else match.hands -= 1;
}

function matchHere() {
  const match = matchAtDesk();
  for (const entry of queue)
    if (isMissing(entry, match)) addEntry(match, entry);
  return match;
}

// Queue

function enqueue(form, button) {
  const { dataset } = fragment();
  const fields = Object.fromEntries(new FormData(form, button));
  const command = fields.command ?? 'tap';
  if (fields.tap && fields.tap === lastTap.tap && Date.now() - lastTap.at < DOUBLE_TAP_MS) return;
  if (fields.tap) lastTap = { tap: fields.tap, at: Date.now() };
  const last = queue.at(-1);
  if (command === 'back' && last && isTap(last) && !last.tried) {
    queue.pop();
    return;
  }
  const isWaiting = entry => !entry.sent && !isTap(entry) && !isUndo(entry) && entry.fields.command === command;
  if (queue.some(isWaiting)) return;
  const text = (button?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const entry = { id: randomId(), round: fields.round, fields, at: Date.now(), label: text };
  if (dataset.hands !== undefined && command !== 'call' && !VERSIONED.has(command)) {
    entry.hands = matchHere().hands;
    delete fields.version;
  }
  if (fields.tap) {
    const { you, they, names, otherNames } = waitingList().dataset;
    const { side = '-1', points = '0' } = button.dataset;
    const isOurs = button.closest('.us') !== null;
    Object.assign(entry, { side: Number(side), points: Number(points) });
    entry.label = side === '-1' ? text : `${isOurs ? you : they} ${text}`;
    entry.why = `${formatTime(entry.at)} ${side === '-1' ? '' : isOurs ? names : otherNames} ${text}`;
  }
  queue.push(entry);
}

// crypto.randomUUID needs HTTPS, which a hall does not have.
function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

// Sends the queue in order; an entry that was refused blocks the ones behind it until the player decides.
async function flush() {
  if (isSending) return;
  isSending = true;
  for (let entry = firstUnsent(); entry && !entry.refused; entry = firstUnsent()) {
    entry.tried = true;
    save();
    const answer = await post(entry);
    if (answer === null) break;
    if (answer.error) entry.refused = answer.error.message;
    else markSent(entry, answer.hands);
    save();
    render();
  }
  isSending = false;
  render();
}

const firstUnsent = () => queue.find(entry => !entry.sent);

// The server's JSON, or null if it can't be reached.
async function post(entry) {
  const body = new URLSearchParams({ ...entry.fields, id: entry.id });
  if (entry.hands !== undefined && !entry.anyway) body.set('hands', entry.hands);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { Accept: 'application/json' };
    const response = await fetch(`${location.pathname}/commands`, { method: 'POST', body, headers, signal });
    if (RETRIED.has(response.status)) return null;
    const answer = await response.json();
    document.querySelector('.notice.lost')?.remove();
    dispatchEvent(new Event('online')); // reconnects the feed
    return answer;
  } catch {
    showNotice(document.body.dataset.lost, 'lost');
    return null;
  }
}

// After a hand was sent anyway, those behind it follow on it.
function markSent(entry, hands) {
  const shift = entry.anyway ? hands - 1 - entry.hands : 0;
  entry.sent = true;
  if (!shift) return;
  for (const later of queue)
    if (!later.sent && later.hands !== undefined) later.hands += shift;
}

function sendAnyway(entry) {
  const fields = { ...entry.fields, command: 'anyway', why: entry.why ?? entry.label };
  Object.assign(entry, { id: randomId(), refused: '', tried: false, anyway: true, fields });
}

function drop(entry) {
  const index = queue.indexOf(entry);
  queue.splice(index, 1);
  if (isTap(entry))
    for (const later of queue.slice(index))
      if (later.hands !== undefined) later.hands -= 1;
}

// Page

const waitingList = () => document.querySelector('.waiting');
const formatTime = at => new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });

function render() {
  if (!fragment()?.dataset.phone) return;
  load();
  const desk = matchAtDesk();
  queue = queue.filter(entry => !entry.sent || isMissing(entry, desk));
  const match = matchHere();
  const waiting = queue.filter(entry => !entry.sent);
  const isLate = waiting.some(entry => entry.refused || Date.now() - entry.at > SHOWN_AFTER_MS);
  if (desk.hands !== Infinity) showScore(desk, match, isLate);
  showWaiting(waiting, isLate);
  const isOver = !desk.isOver && match.isOver;
  for (const form of document.querySelectorAll('.taps')) form.hidden = isOver;
  const over = document.querySelector('.answer.over');
  if (over) over.hidden = !isOver;
  fragment().classList.toggle('busy', Date.now() - lastTap.at < DOUBLE_TAP_MS);
}

function showScore(desk, match, isLate) {
  const isSameGame = String(desk.games) === String(match.games) || match.gameOver;
  match.points.forEach((points, side) => {
    const more = document.querySelector(`[data-more="${side}"]`);
    const atDesk = document.querySelector(`[data-sent="${side}"]`);
    const gained = isSameGame ? points - desk.points[side] : 0;
    document.querySelector(`.points [data-side="${side}"]`).textContent = points;
    more.textContent = `+${gained}`;
    atDesk.textContent = waitingList().dataset.desk.replace('{points}', desk.points[side]);
    more.hidden = !isLate || gained <= 0;
    atDesk.hidden = !isLate;
  });
}

function showWaiting(waiting, isLate) {
  const section = waitingList();
  if (section.contains(document.activeElement) && section.dataset.shown === signature(waiting)) return;
  section.dataset.shown = signature(waiting);
  section.hidden = !waiting.length || !isLate;
  section.querySelector('header time').textContent = waiting.length ?
    section.dataset.since.replace('{time}', formatTime(waiting[0].at)) :
    '';
  const match = matchAtDesk();
  section.querySelector('ol').replaceChildren(...waiting.map(entry => waitingLine(entry, match, waiting.at(-1))));
}

const signature = waiting => waiting.map(entry => entry.id + (entry.refused ?? '')).join();

function waitingLine(entry, match, last) {
  const line = waitingList().querySelector('template').content.firstElementChild.cloneNode(true);
  const counts = isMissing(entry, match);
  if (counts) addEntry(match, entry);
  line.querySelector('time').textContent = formatTime(entry.at);
  line.querySelector('span').textContent = entry.label;
  const own = Number(document.querySelector('.us .points [data-side]').dataset.side);
  const points = [match.points[own], ...match.points.filter((_, side) => side !== own)];
  line.querySelector('b').textContent = counts && isTap(entry) ? points.join('–') : '';
  line.querySelector('[data-undo]').hidden = entry !== last || !isTap(entry) || entry.tried;
  line.classList.toggle('refused', Boolean(entry.refused));
  line.querySelector('p').hidden = !entry.refused;
  line.querySelector('em').textContent = entry.refused ?? '';
  line.querySelector('[data-anyway]').hidden = entry.anyway;
  line.dataset.id = entry.id;
  return line;
}

function changed() {
  save();
  render();
  setTimeout(render, DOUBLE_TAP_MS);
  flush();
}

document.addEventListener(
  'submit',
  event => {
    if (!fragment()?.contains(event.target) || event.target.method !== 'post') return;
    event.preventDefault();
    event.stopPropagation();
    load();
    enqueue(event.target, event.submitter);
    if (!event.submitter?.matches('.taps button')) event.target.closest('details')?.removeAttribute('open');
    changed();
  }, { capture: true },
);

document.addEventListener('click', event => {
  const entry = queue.find(({ id }) => id === event.target.closest('.waiting li')?.dataset.id);
  if (!entry) return;
  if (event.target.matches('[data-undo]')) queue.splice(queue.indexOf(entry), 1);
  else if (event.target.matches('[data-anyway]')) sendAnyway(entry);
  else if (event.target.matches('[data-drop]')) drop(entry);
  else return;
  changed();
});

new MutationObserver(render).observe(document.body, { childList: true });
addEventListener('online', flush);
render();
for (;;) {
  await pause(RETRY_MS);
  if (queue.length) {
    render();
    flush();
  }
}
