// A card table: cards move from version to version, keys and taps play them, pages open in a dialog.

import { fragment, hasActedOn, isUsable, pause, replaceFragment, showNotice, startLivePage } from './feed.mjs';

const MOVE_MS = 340;
const RETRY_PAUSES_MS = [300, 1000, 3000, 0];
const ARROW_STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), select, textarea';

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
let stopWaiting = () => {};

const cardsByKey = within => new Map([...within.querySelectorAll('[data-k]')].map(card => [card.dataset.k, card]));
const handCards = () => [...document.querySelectorAll('.hand [data-k]')];
const untilActed = () => new Promise(resolve => {
  stopWaiting = resolve;
});

// Versions

async function applyTable(next) {
  if (reducedMotion.matches || document.hidden) replaceTable(next);
  else await Promise.race([moveCards(next), untilActed()]);
  const hasWholeTrick = next.querySelector('.place .wins');
  if (!hasWholeTrick || hasActedOn(next.dataset.version) || document.hidden) return;
  await Promise.race([untilActed(), pause(document.body.dataset.hold)]);
}

function replaceTable(next) {
  const focusedCard = document.activeElement?.dataset?.k;
  const liftedCard = fragment().querySelector('.lifted')?.dataset.k;
  replaceFragment(next);
  setRovingTabIndex();
  const cards = cardsByKey(next);
  if (focusedCard) {
    const card = cards.get(focusedCard) ?? next.querySelector('.hand .card[tabindex="0"]');
    card?.focus({ preventScroll: true });
  }
  const lifted = liftedCard && cards.get(liftedCard);
  if (lifted?.matches('.hand .card:not([aria-disabled])')) lift(lifted);
  gatherTrick(next);
}

// Keeps a complete trick open for a moment, so that its last card can be seen, then removes its cards.
function gatherTrick(within) {
  const cross = within.querySelector('.cross[data-open]');
  if (!cross) return;
  setTimeout(async () => {
    if (!cross.isConnected) return;
    cross.classList.add('gathered');
    await Promise.allSettled(cross.getAnimations({ subtree: true }).map(animation => animation.finished));
    for (const card of cross.querySelectorAll('.place > .card')) card.remove();
    for (const text of within.querySelectorAll('.completing-play')) text.remove();
    if (cross.isConnected) document.getElementById('announcements').textContent = '';
  }, 1000 * cross.dataset.open);
}

// Moving cards (FLIP: replace at once, then animate from the old position)

async function moveCards(next) {
  const before = cardPositions(fragment());
  replaceTable(next);
  const animations = [];
  for (const [key, card] of cardsByKey(next)) {
    const from = before.get(key) ?? before.get(`fan ${card.dataset.from}`);
    if (!from) continue;
    const to = card.getBoundingClientRect();
    const x = from.x + from.width / 2 - to.x - to.width / 2;
    const y = from.y + from.height / 2 - to.y - to.height / 2;
    if (Math.abs(x) + Math.abs(y) < 2) continue;
    const wasHidden = !before.has(key) && card.dataset.from;
    const turn = wasHidden ? turnOver(card) : '';
    const start = `translate(${x}px, ${y}px) scale(${from.width / to.width})${turn}`;
    const timing = { duration: MOVE_MS, easing: 'cubic-bezier(.22,.8,.3,1)' };
    const animation = card.animate([{ transform: start }, { transform: 'none' }], timing);
    animation.onfinish = () => {
      card.classList.remove('turning');
      card.querySelector('.bk')?.remove();
    };
    animations.push(animation.finished);
  }
  await Promise.allSettled(animations);
}

// Positions by face; for a card that was face down, the last back of the seat that played it.
function cardPositions(within) {
  const positions = new Map([...cardsByKey(within)].map(([key, card]) => [key, card.getBoundingClientRect()]));
  for (const fan of within.querySelectorAll('[data-fan]')) {
    const back = fan.lastElementChild;
    if (back) positions.set(`fan ${fan.dataset.fan}`, back.getBoundingClientRect());
  }
  return positions;
}

// Adds a back, so that a card played from a hidden hand turns over while it moves.
function turnOver(card) {
  const back = card.querySelector('.f').cloneNode(true);
  back.setAttribute('class', 'bk');
  back.firstElementChild.setAttribute('href', '#back');
  card.append(back);
  card.classList.add('turning');
  return ' rotateY(180deg)';
}

// Taps and keys

function lift(card) {
  document.querySelector('.lifted')?.classList.remove('lifted');
  card.classList.add('lifted');
}

// The first tap lifts a card and the second plays it; a key press (detail 0) plays at once.
function liftFirst(event) {
  const card = event.target.closest('.hand button.card');
  const playsAtOnce = !event.detail || document.documentElement.classList.contains('swift');
  if (!card || playsAtOnce || !isUsable(card) || card.classList.contains('lifted')) return;
  event.preventDefault();
  lift(card);
}

function openInDialog(event) {
  const link = event.target.closest('a[data-dialog]');
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  showDialog(link.href);
}

function limitPicks(event) {
  const maxPicks = Number(document.querySelector('[data-picks]')?.dataset.picks);
  const picks = document.querySelectorAll('.pick input:checked');
  if (maxPicks && picks.length > maxPicks) event.target.checked = false;
}

// Arrows move through the hand, a number selects a card and then plays it, a letter presses its button.
function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(TEXT_FIELDS)) return;
  if (document.querySelector('dialog[open]')) return;
  const cards = handCards();
  const step = ARROW_STEPS[event.key];
  if (step && event.target.type === 'radio') return;
  if (step && cards.length) {
    const index = cards.indexOf(document.activeElement.closest('.card'));
    focusCard(cards[index < 0 ? 0 : (index + step + cards.length) % cards.length]);
    event.preventDefault();
  } else if (/^[1-9]$/.test(event.key)) {
    const card = cards[event.key - 1];
    const input = card?.querySelector('input');
    if (input) {
      input.focus();
      input.click();
    } else if (card && document.activeElement === card) card.click();
    else if (card) focusCard(card);
  } else if (/^[a-z]$/i.test(event.key)) {
    const control = document.querySelector(`[data-key="${event.key.toLowerCase()}"]`);
    if (control?.type === 'radio') control.focus();
    control?.click();
  }
}

function focusCard(card) {
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

// Dialog

async function showDialog(address) {
  const dialog = document.getElementById('dialog');
  const content = dialog.lastElementChild;
  const focusedRel = document.activeElement?.rel;
  document.querySelector('.menu details')?.removeAttribute('open');
  try {
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main');
    content.replaceChildren(document.importNode(page, true));
  } catch {
    showNotice(document.body.dataset.noPage);
    return;
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  if (focusedRel) {
    const link = content.querySelector(`[rel="${focusedRel}"]`) ?? content.querySelector('[rel]');
    link?.focus();
  }
  if (content.querySelector('[data-check]')) {
    const { checkDeal } = await import('./deal_check.mjs');
    checkDeal(content);
  }
}

async function shareOrCopy(event) {
  const button = event.target.closest('[data-copy], [data-share]');
  if (!button) return;
  const { share } = await import('./share.mjs');
  share(button);
}

addEventListener('click', openInDialog);
addEventListener('click', shareOrCopy);
addEventListener('click', liftFirst);
addEventListener('change', limitPicks);
addEventListener('keydown', pressKey);
startLivePage({
  apply: applyTable,
  submissionKey: () => '',
  retryPauses: RETRY_PAUSES_MS,
  lostText: document.body.dataset.lost,
  onSubmit: () => stopWaiting(),
});
setRovingTabIndex();
gatherTrick(fragment());
