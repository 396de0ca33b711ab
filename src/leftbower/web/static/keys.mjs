// Keys at a table, loaded at the first key press: arrows move through the hand, a number selects a card and then plays
// it, a letter presses its button, Shift and a letter asks, and the live region answers.

import { sayAgain, sayNow } from './feed.mjs';
import { focusCard, goOn, handCards } from './table.mjs';

const ARROW_STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), select, textarea';

export function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(TEXT_FIELDS)) return;
  if (document.querySelector('dialog[open]')) return;
  const step = ARROW_STEPS[event.key];
  if (step) moveInHand(step, event);
  else if (event.key === 'Escape') goOn();
  else if (/^[1-9]$/.test(event.key)) pickCard(handCards()[event.key - 1]);
  else if (event.shiftKey && /^[a-z]$/i.test(event.key)) ask(event.key.toLowerCase());
  else pressButton(document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`));
}

// A choice of several, such as a suit, keeps the focus, so that Enter sends it.
function pressButton(button) {
  if (button?.type === 'radio') button.focus();
  button?.click();
}

function moveInHand(step, event) {
  const cards = handCards();
  if (!cards.length || event.target.matches('input')) return;
  const index = cards.indexOf(document.activeElement.closest('.card'));
  focusCard(cards[index < 0 ? 0 : (index + step + cards.length) % cards.length]);
  event.preventDefault();
}

// A card to play is selected first; one to discard is marked, and Enter discards.
function pickCard(card) {
  const input = card?.querySelector('input');
  if (!card) return;
  if (input || document.activeElement !== card) focusCard(card);
  else card.click();
  input?.click();
}

// The answers come with each version.
function ask(letter) {
  if (letter === 'r') sayAgain();
  else sayNow(document.getElementById('spoken')?.getAttribute(`data-ask-${letter}`));
}
