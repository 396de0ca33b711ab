// A card table: versions are shown at a pace that can be followed, taps play cards, pages open in a dialog.

import {
  forgetSaid,
  fragment,
  hasActedOn,
  isCatchingUp,
  isUsable,
  pause,
  replaceFragment,
  skipToLast,
  startLivePage
} from './feed.mjs';
import { cardsByKey, finishMotion, isStill, moveTo, showBanner, speed, sweepTrick } from './motion.mjs';

const RETRY_PAUSES_MS = [300, 1000, 3000, 0];
const MAX_QUEUED_VERSIONS = 40;

// How long a moment stays before the next one; a complete trick and the end of a hand can be looked at.
const HOLDS_MS = {
  deal: 900,
  'turn-up': 900,
  bid: 900,
  call: 900,
  alone: 2000,
  discard: 600,
  card: 500,
  trick: 900,
  end: 2500,
};
const GESTURES = ['pointerdown', 'keydown'];
const SOUNDS = { deal: 'deal', bid: 'bid', call: 'trump', alone: 'alone', card: 'card', trick: 'card' };

let sharing;
let heldUntil = 0;
let isRushing = false;
let goOnNow = () => {};
let keys;
let device;
let sound;

export const handCards = () => [...document.querySelectorAll('.hand [data-k]')];

// Pace. Each page keeps it for itself: the server never waits, a hidden page and one whose player has acted show the
// next version at once, and so does one whose player's clock runs.

async function applyTable(next) {
  const isMove = next.dataset.game !== fragment().dataset.game;
  const isOwn = hasActedOn(fragment().dataset.version);
  if (isMove && !isOwn) await hold(next);
  if (isMove) await gatherBefore(next, isOwn);
  else next.querySelector('.banner')?.remove();
  const moving = isStill() ? replaceTable(next) : moveTo(next, replaceTable);
  if (!isMove) return;
  const { moment } = next.dataset;
  if (!isOwn || moment !== 'deal') playSound(SOUNDS[moment] ?? endSound(next));
  if (moment === 'alone') showBanner(next);
  if (moment === 'deal') await Promise.race([moving, untilGoOn()]);
  heldUntil = performance.now() + (HOLDS_MS[moment] ?? 0) * speed() * next.dataset.pace * document.body.dataset.pace;
  if (moment === 'end') runNextButton(next);
}

async function hold(next) {
  const ms = heldUntil - performance.now();
  const isOnClock = next.matches('.turn') && next.querySelector('[data-left]');
  if (ms > 0 && !isRushing && !document.hidden && !isOnClock) await Promise.race([pause(ms), untilGoOn()]);
}

const untilGoOn = () => new Promise(resolve => {
  goOnNow = resolve;
});

// Ends what moves and what is held.
export function goOn() {
  finishMotion();
  heldUntil = 0;
  goOnNow();
}

// A line along the button of a finished hand runs as long as the server waits.
function runNextButton(next) {
  const button = next.querySelector('[data-pause]');
  if (!button) return;
  button.style.setProperty('--hold', `${button.dataset.pause * document.body.dataset.handPause}s`);
  button.classList.add('running');
}

// Versions

function replaceTable(next) {
  const focused = document.activeElement;
  const focusedCard = focused?.closest?.('[data-k]')?.dataset.k;
  const hadFocus = fragment().contains(focused);
  const liftedCard = fragment().querySelector('.lifted')?.dataset.k;
  const hint = next.dataset.game === fragment().dataset.game && fragment().querySelector('.hint');
  replaceFragment(next);
  if (hint) keepHint(hint);
  setRovingTabIndex();
  const cards = cardsByKey(next);
  const lifted = liftedCard && cards.get(liftedCard);
  if (lifted?.matches('.hand .card:not([aria-disabled])')) lift(lifted);
  if (hadFocus && !next.contains(document.activeElement)) keepFocus(next, cards.get(focusedCard));
  gatherLater(next);
}

// The focus never falls to the page: it goes to the same card, else to the hand, else to what is asked.
function keepFocus(next, card) {
  const inHand = card?.matches('.hand [data-k]') ? card : next.querySelector('.hand .card[tabindex="0"], .hand .pick');
  const target = inHand ?? next.querySelector('.panel button, .tools button:not([disabled])') ?? next;
  if (target === next) next.tabIndex = -1;
  (target.querySelector(':scope > input') ?? target).focus({ preventScroll: true });
}

// Tricks

// The complete trick goes to its winner before the next version; beside it, if the viewer has already acted.
async function gatherBefore(next, isOwn) {
  if (!fragment().querySelector('.place > .wins') || next.querySelector('.place > .wins') || isStill()) return;
  playSound('trick');
  const swept = sweepTrick();
  if (!isOwn && !isRushing) await Promise.race([swept, untilGoOn()]);
}

// Keeps a complete trick open for a while, so that its last card can be seen, then gathers it.
function gatherLater(within) {
  const cross = within.querySelector('.cross[data-open]');
  if (!cross) return;
  setTimeout(async () => {
    if (!cross.isConnected) return;
    if (!isStill()) await sweepTrick();
    cross.classList.add('gathered');
    for (const card of cross.querySelectorAll('.place > .card')) card.remove();
    for (const text of within.querySelectorAll('.completing-play')) text.remove();
    within.querySelector('[data-news]')?.removeAttribute('data-news');
    if (cross.isConnected) forgetSaid();
  }, 1000 * cross.dataset.open);
}

// Sounds

async function playSound(name) {
  if (!name || !navigator.userActivation?.hasBeenActive) return;
  sound ??= import('./sound.mjs');
  (await sound).play(name);
}

function endSound(table) {
  const end = table.querySelector('.moment, .over');
  return end && (end.matches('.lost') ? 'loss' : 'win');
}

function onTurn() {
  playSound('turn');
  device?.notifyTurn();
}

// The first tap or key loads what is not needed to show the table.
async function startDevice() {
  for (const gesture of GESTURES) removeEventListener(gesture, startDevice);
  device = await import('./device.mjs');
  device.start();
}

// Taps

function lift(card) {
  document.querySelector('.lifted')?.classList.remove('lifted');
  card.classList.add('lifted');
}

// The first tap lifts a card and the second plays it; a key press (detail 0) plays at once. A tap ahead of what is
// shown catches up first, and then means the same card.
async function liftFirst(event) {
  const card = event.target.closest('.hand button.card');
  if (!card) return;
  if (isCatchingUp() && !isUsable(card)) {
    event.preventDefault();
    const key = card.dataset.k;
    isRushing = true;
    goOn();
    await skipToLast();
    isRushing = false;
    const same = document.querySelector(`.hand button.card[data-k="${key}"]`);
    if (same && isUsable(same)) lift(same);
    return;
  }
  const playsAtOnce = !event.detail || document.documentElement.classList.contains('swift');
  if (playsAtOnce || !isUsable(card) || card.classList.contains('lifted')) return;
  event.preventDefault();
  lift(card);
}

async function openPage(event) {
  const link = event.target.closest('a[data-dialog], a[data-hint]');
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const dialog = await import('./dialog.mjs');
  dialog.openPage(link);
}

async function keepHint(hint) {
  const dialog = await import('./dialog.mjs');
  dialog.putHint(hint);
}

// A tap on the felt goes on.
function goOnByTap(event) {
  if (event.target.closest('button, a, input, label, summary, dialog, [popover]')) return;
  if (event.target.closest('#table')) goOn();
}

// A finger or a pressed mouse that slides along the deck chooses where to cut.
function slideAlongDeck(event) {
  const ribbon = event.buttons && event.target.closest('.ribbon');
  if (!ribbon) return;
  const places = [...ribbon.querySelectorAll('input')];
  const place = places.findLast(input => input.getBoundingClientRect().left <= event.clientX) ?? places[0];
  place.checked = true;
}

function limitPicks(event) {
  const maxPicks = Number(document.querySelector('[data-picks]')?.dataset.picks);
  const picks = document.querySelectorAll('.pick input:checked');
  if (maxPicks && picks.length > maxPicks) event.target.checked = false;
}

async function pressKey(event) {
  if (!keys) keys = await import('./keys.mjs');
  keys.pressKey(event);
}

export function focusCard(card) {
  setTabStop(card);
  (card.querySelector('input') ?? card).focus();
}

// The hand is one tab stop: its first usable card.
function setRovingTabIndex() {
  const buttons = handCards().filter(card => card.matches('button'));
  setTabStop(buttons.find(isUsable) ?? buttons[0]);
}

function setTabStop(card) {
  for (const button of handCards()) {
    if (button.matches('button')) button.tabIndex = button === card ? 0 : -1;
  }
}

// The first click on a button that copies or shares loads the script for them, which then sees the click again.
async function loadSharing(event) {
  const button = event.target.closest('[data-copy], [data-share]');
  if (!button || sharing) return;
  sharing = import('./share.mjs');
  await sharing;
  button.click();
}

if (navigator.share) document.documentElement.classList.add('can-share');
addEventListener('click', openPage);
addEventListener('click', loadSharing);
addEventListener('click', liftFirst);
addEventListener('click', goOnByTap);
addEventListener('pointermove', slideAlongDeck);
addEventListener('change', limitPicks);
addEventListener('keydown', pressKey);
for (const gesture of GESTURES) addEventListener(gesture, startDevice);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) goOn();
});
startLivePage({
  apply: applyTable,
  maxQueued: MAX_QUEUED_VERSIONS,
  submissionKey: () => '',
  retryPauses: RETRY_PAUSES_MS,
  lostText: document.body.dataset.lost,
  onSubmit: goOn,
  keepsFeed: () => device?.notifies(),
  onTurn,
});
setRovingTabIndex();
gatherLater(fragment());
showBanner(fragment());
