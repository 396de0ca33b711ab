// Pages of an event (desk, phone, wall, player, public): edited fields survive a new version.

import { fragment, replaceFragment, startLivePage } from './feed.mjs';

const FIELDS = 'input:not([type=hidden]), textarea, select, details';
const RETRY_PAUSES_MS = [300, ...Array(60).fill(2000), 0];

function replacePart(next) {
  copyFields(fragment(), next);
  replaceFragment(next);
}

// Copies edited values, opened details and the focus to the fields of the next version.
function copyFields(previous, next) {
  const nextFields = fieldsByName(next);
  const focused = document.activeElement;
  for (const [name, field] of fieldsByName(previous)) {
    const nextField = nextFields.get(name);
    const wasSent = field.form && 'sent' in field.form.dataset;
    if (!nextField || wasSent) continue;
    copyValue(field, nextField);
    if (field === focused) queueMicrotask(() => moveFocus(field, nextField));
  }
}

function copyValue(field, nextField) {
  if (field.matches('details')) {
    nextField.open = field.open;
  } else if (field.type === 'checkbox' || field.type === 'radio') {
    if (field.checked !== field.defaultChecked) nextField.checked = field.checked;
  } else if (field.type !== 'file') {
    const isEdited = field.matches('select') ? field.value : field.value !== field.defaultValue;
    if (isEdited) nextField.value = field.value;
  }
}

function moveFocus(field, nextField) {
  nextField.focus({ preventScroll: true });
  if (field.selectionStart != null) nextField.setSelectionRange(field.selectionStart, field.selectionEnd);
}

// A field's key is its form's command, round and table, its own name, and its index among equal ones.
function fieldsByName(part) {
  const counts = new Map();
  const fields = new Map();
  for (const field of part.querySelectorAll(FIELDS)) {
    const form = field.closest('form');
    const command = form ? ['command', 'round', 'table'].map(name => form.elements[name]?.value ?? '').join() : '';
    const ownName = field.name ?? field.firstElementChild.textContent.replace(/\d/g, '');
    const name = `${command} ${ownName} ${field.type === 'checkbox' ? field.value : ''}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    fields.set(`${name} ${counts.get(name)}`, field);
  }
  return fields;
}

// An ended link gets a 403 page that explains it.
async function reloadIfEnded() {
  try {
    const response = await fetch(location, { headers: { Accept: 'text/html' } });
    if (response.status === 403) location.reload();
  } catch {
    // offline: the next failure retries
  }
}

startLivePage({
  apply: replacePart,
  submissionKey: (form, button) => new URLSearchParams(new FormData(form, button)),
  retryPauses: RETRY_PAUSES_MS,
  lostText: document.body.dataset.lost,
  onRepeatedFailure: reloadIfEnded,
});
