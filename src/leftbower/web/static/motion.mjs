// Motion at a table. Cards fly to their places (FLIP: replace at once, then animate from the old position), a deal goes
// round, a trick goes to its winner. The table works while all this moves, and `finishMotion` ends it.

import { fragment, pause } from './feed.mjs';

const CARD_MS = 320;
const RISE_PX = 8;
const SWEEP_MS = 420;
const DEAL_CARD_MS = 45;
const PACKET_MS = 260;
const TURN_MS = 380;
const TRUMP_MS = 500;
const TRUMP_CARD_MS = 70;
const BANNER_MS = 600;
const BANNER_HOLD_MS = 1400;
const OUT = 'cubic-bezier(.2, .8, .2, 1)';
const DROP = 'cubic-bezier(.3, 1.35, .5, 1)';

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
const running = new Set();

export const isStill = () => reducedMotion.matches || document.hidden;

// The viewer's speed: a factor of all times.
export function speed() {
  const { classList } = document.documentElement;
  return classList.contains('speed-relaxed') ? 1.5 : classList.contains('speed-fast') ? .5 : 1;
}

function animate(element, keyframes, duration, { delay = 0, easing = OUT } = {}) {
  const timing = { duration: duration * speed(), delay: delay * speed(), easing, fill: 'backwards' };
  const animation = element.animate(keyframes, timing);
  running.add(animation);
  animation.onfinish = () => running.delete(animation);
  return animation.finished;
}

export function finishMotion() {
  for (const animation of running) animation.finish();
}

// Where things are

export function cardsByKey(within) {
  return new Map([...within.querySelectorAll('[data-k]')].map(card => [card.dataset.k, card]));
}

const PLACES = { top: 'n', left: 'w', right: 'e' };

const seatOf = (within, position) =>
  within.querySelector(position in PLACES ? `.place.${PLACES[position]} > .seat` : '.my-plate');

// The cards in a seat's hand, face down or up.
function heldCards(within, position) {
  return [...within.querySelectorAll(position in PLACES ? `[data-fan="${position}"] > *` : '.hand > .card')];
}

const center = box => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

// The last back of a hidden hand, or the name plate where backs are not shown.
function handBox(within, position) {
  const back = heldCards(within, position).at(-1)?.getBoundingClientRect();
  return back?.width ? back : seatOf(within, position)?.querySelector('.plate')?.getBoundingClientRect();
}

// Positions by face, and by seat for cards that come from a hidden hand.
function cardPositions(within) {
  const positions = new Map();
  for (const [key, card] of cardsByKey(within)) positions.set(key, card.getBoundingClientRect());
  for (const position of ['bottom', ...Object.keys(PLACES)]) {
    const box = handBox(within, position);
    if (box) positions.set(`seat ${position}`, box);
  }
  return positions;
}

function layer() {
  const found = document.querySelector('.flying');
  if (found) return found;
  const made = document.createElement('div');
  made.className = 'flying';
  made.setAttribute('aria-hidden', 'true');
  document.body.append(made);
  return made;
}

// Shows the next version in motion; `replace` puts it into the page, at once.
export async function moveTo(next, replace) {
  const before = cardPositions(fragment());
  const hadTrump = Boolean(fragment().querySelector('.trump'));
  replace(next);
  const { packets } = next.dataset;
  const moves = packets ? deal(next, packets) : [...cardsByKey(next).values()].map(card => move(card, before));
  if (next.querySelector('.trump') && !hadTrump) moves.push(...makeTrump(next));
  await Promise.race([Promise.allSettled(moves), pause(4000)]);
}

function move(card, before) {
  const { k: key, from: seat } = card.dataset;
  const from = before.get(key) ?? before.get(`seat ${seat}`);
  if (!from) return undefined;
  const to = card.getBoundingClientRect();
  const [start, end] = [center(from), center(to)];
  const [x, y] = [start.x - end.x, start.y - end.y];
  if (!to.width || Math.abs(x) + Math.abs(y) < 2) return undefined;
  const wasHidden = !before.has(key);
  const turn = wasHidden ? ' rotateY(180deg)' : '';
  const back = wasHidden ? addBack(card) : null;
  const at = height => `translate(${x}px, ${height}px) scale(${from.width / to.width})${turn}`;
  const frames = [{ transform: at(y) }, { transform: at(y - RISE_PX), offset: .18 }, { transform: 'none' }];
  return animate(card, frames, CARD_MS).finally(() => removeBack(card, back));
}

// A back, so that a card from a hidden hand turns over while it moves.
function addBack(card) {
  const back = backFace();
  back.classList.add('bk');
  card.append(back);
  card.classList.add('turning');
  return back;
}

function removeBack(card, back) {
  if (!back) return;
  back.remove();
  card.classList.remove('turning');
}

function backFace() {
  const template = document.createElement('template');
  template.innerHTML = '<svg class="f"><use href="#back"/></svg>';
  return template.content.firstElementChild;
}

// Deal

// Packets as the rules deal them: `left:3 top:2 …`; the last seat is the dealer's.
function deal(table, packets) {
  const list = packets.split(' ').map(packet => packet.split(':'));
  const dealer = handBox(table, list.at(-1)[0]);
  const waiting = new Map(list.map(([seat]) => [seat, heldCards(table, seat)]));
  const moves = [];
  let dealt = 0;
  for (const [seat, size] of list) {
    const delay = dealt * DEAL_CARD_MS;
    dealt += Number(size);
    const box = handBox(table, seat);
    if (dealer && box) moves.push(throwPacket(Number(size), dealer, box, delay));
    for (const card of waiting.get(seat).splice(0, size)) {
      moves.push(animate(card, [{ opacity: 0 }, { opacity: 0, offset: .99 }, { opacity: 1 }], PACKET_MS, { delay }));
    }
  }
  const upCard = table.querySelector('.kitty [data-k]');
  if (upCard) moves.push(turnUp(upCard, dealt * DEAL_CARD_MS + PACKET_MS));
  return moves;
}

function throwPacket(size, from, to, delay) {
  const packet = document.createElement('div');
  packet.className = 'packet';
  for (let card = 0; card < size; card++) packet.append(backFace());
  layer().append(packet);
  const [start, end] = [from, to].map(box => `translate(${center(box).x}px, ${center(box).y}px) translate(-50%, -50%)`);
  return animate(packet, vanishAt(end, start), PACKET_MS, { delay }).finally(() => packet.remove());
}

// Keyframes: fly, then fade at the end.
function vanishAt(end, start = 'none') {
  return [
    { transform: start, opacity: 1 },
    { transform: end, opacity: 1, offset: .9 },
    { transform: end, opacity: 0 },
  ];
}

function turnUp(card, delay) {
  const back = addBack(card);
  return animate(card, [{ transform: 'rotateY(180deg)' }, { transform: 'none' }], TURN_MS, { delay })
    .finally(() => removeBack(card, back));
}

// Trick

// Gathers the complete trick of the page into its winner's plate; resolves when it is there.
export function sweepTrick() {
  const table = fragment();
  const winner = table.querySelector('.place > .wins');
  const laid = winner ? [...table.querySelectorAll('.place > [data-from]')] : [];
  const plate = winner && (seatOf(table, winner.dataset.from)?.querySelector('.plate') ?? winner);
  const swept = laid.map(card => sweep(card, center(plate.getBoundingClientRect())));
  return Promise.race([pause(2 * SWEEP_MS), Promise.allSettled(swept)]);
}

function sweep(card, to) {
  const box = card.getBoundingClientRect();
  const ghost = card.cloneNode(true);
  delete ghost.dataset.k;
  ghost.className = 'card ghost';
  for (const [side, length] of Object.entries({ left: box.x, top: box.y, width: box.width, height: box.height })) {
    ghost.style[side] = `${length}px`;
  }
  layer().append(ghost);
  card.classList.add('gathered');
  const from = center(box);
  const end = `translate(${to.x - from.x}px, ${to.y - from.y}px) scale(.3)`;
  return animate(ghost, vanishAt(end), SWEEP_MS).finally(() => ghost.remove());
}

// Trump and going alone

function makeTrump(table) {
  const large = [{ transform: 'scale(3)', opacity: 0 }, { transform: 'scale(2.6)', opacity: 1 }, { transform: 'none' }];
  const bright = ['none', 'brightness(1.15) drop-shadow(0 0 14px #edbd55)', 'none'].map(filter => ({ filter }));
  const trumps = [...table.querySelectorAll('.hand .tr')];
  return [
    animate(table.querySelector('.trump'), large, TRUMP_MS, { easing: DROP }),
    ...trumps.map((card, index) => animate(card, bright, TRUMP_MS, { delay: TRUMP_MS / 2 + index * TRUMP_CARD_MS })),
  ];
}

// The banner of a player who goes alone comes from the left, holds, and goes.
export async function showBanner(table) {
  const banner = table.querySelector('.banner');
  if (!banner) return;
  if (!isStill()) {
    animate(banner, [{ opacity: 0 }, { opacity: 1 }], BANNER_MS);
    const fromLeft = [{ transform: 'translateX(-100%)' }, { transform: 'none' }];
    animate(banner.firstElementChild, fromLeft, BANNER_MS, { easing: DROP });
  }
  await pause((BANNER_MS + BANNER_HOLD_MS) * speed());
  banner.remove();
}
