// Live part of a page: an SSE feed sends each new version as one HTML fragment.
// Shared by table.mjs and event.mjs: feed, fragments, forms, notices and the clock. Texts are in data attributes
// of the body.

const MAX_QUEUED_FRAGMENTS = 3;
const MAX_RECONNECT_DELAY_MS = 15000;
const HIDDEN_PAGE_FEED_MS = 15000;
const NOTICE_MS = 4000;
const CLOCK_TICK_MS = 500;
const MAX_LINES_SAID = 6;

const queue = [];
let options;
let feed;
let closeTimer;
let failures = 0;
let applying;
let lastSubmission = '';
let lastSaid = '';

export const fragment = () => document.querySelector('[data-version]');
export const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
export const isUsable = button => !button.hasAttribute('aria-disabled');

// Options of a page:
//   apply(next): replaces the fragment, optionally animated and after a hold
//   maxQueued: fragments that may wait for earlier ones; if there are more, only the last is shown
//   keepsFeed(): does a hidden page stay connected?
//   onTurn(): what to do when the turn comes to the viewer, instead of a chime
//   submissionKey(form, button): tells apart submissions for the same version
//   retryPauses: milliseconds between attempts to send a form; the last one is 0
//   lostText: the notice while the server can't be reached
//   onSubmit(), onRepeatedFailure(): optional hooks
export function startLivePage(pageOptions) {
  if (!fragment()) return;
  options = pageOptions;
  connect();
  startClock(fragment());
  announce(fragment());
  updateTurn(fragment(), fragment());
  setInterval(tickClock, CLOCK_TICK_MS);
  addEventListener('submit', submitByScript);
  addEventListener('pagehide', () => feed?.close());
  addEventListener('online', connect);
  // A hidden page closes its feed, because a browser opens at most six connections per host.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) connect();
    else if (!options.keepsFeed?.()) closeTimer = setTimeout(() => feed?.close(), HIDDEN_PAGE_FEED_MS);
  });
}

// Reload a page from the back-forward cache: it is outdated.
addEventListener('pageshow', event => {
  if (event.persisted) location.reload();
});

// Feed

function connect() {
  clearTimeout(closeTimer);
  if (feed && feed.readyState !== EventSource.CLOSED) return;
  const address = new URL(document.body.dataset.feed, location);
  address.searchParams.set('version', fragment().dataset.version);
  feed = new EventSource(address);
  feed.addEventListener('table', event => {
    const next = parseFragment(event.data);
    if (next) startClock(next);
    queue.push(next);
    applying ??= applyQueue().finally(() => {
      applying = undefined;
    });
  });
  feed.addEventListener('open', () => {
    failures = 0;
    showLost(false);
  });
  feed.addEventListener('error', reconnect);
}

// The browser reconnects a broken feed but not a closed one; reopen that with exponential backoff.
function reconnect() {
  showLost(true);
  if (feed.readyState !== EventSource.CLOSED) return;
  setTimeout(connect, Math.min(1000 * 2 ** failures, MAX_RECONNECT_DELAY_MS));
  failures += 1;
  if (failures > 1) options.onRepeatedFailure?.();
}

// Fragments

async function applyQueue() {
  while (queue.length) {
    if (queue.length > (options.maxQueued ?? MAX_QUEUED_FRAGMENTS)) queue.splice(0, queue.length - 1);
    const next = queue.shift();
    if (next && Number(next.dataset.version) >= Number(fragment().dataset.version)) await options.apply(next);
  }
}

// Drops all waiting fragments but the last, and resolves when that is shown.
export function skipToLast() {
  queue.splice(0, queue.length - 1);
  return applying;
}

export const isCatchingUp = () => Boolean(applying);

function parseFragment(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content.querySelector('[data-version]');
}

// Replaces the fragment; keeps focus, open details and the screen reader's log.
export function replaceFragment(next) {
  const previous = fragment();
  const focusedKey = document.activeElement?.dataset?.key;
  const openSummary = previous.querySelector('.more[open] summary')?.textContent;
  previous.replaceWith(next);
  if (focusedKey) next.querySelector(`[data-key="${CSS.escape(focusedKey)}"]`)?.focus({ preventScroll: true });
  for (const details of next.querySelectorAll('.more')) {
    details.open ||= details.firstElementChild.textContent === openSummary;
  }
  announce(next);
  updateTurn(previous, next);
}

function updateTurn(previous, next) {
  const isTurn = next.classList.contains('turn');
  const { title, turnTitle } = document.body.dataset;
  document.title = isTurn ? turnTitle : title;
  if (isTurn && !previous.classList.contains('turn'))(options.onTurn ?? chime)(next);
}

// Live region

function announce(within) {
  const news = within.querySelector('[data-news]')?.dataset.news ?? within.querySelector('.log')?.textContent;
  if (!news || news === lastSaid) return;
  lastSaid = news;
  sayNow(news);
}

export const sayAgain = () => sayNow(lastSaid);

// Each text is a line of its own, so that a screen reader loses none when the next one comes soon.
export function sayNow(text) {
  const log = document.getElementById('announcements');
  if (!log || !text) return;
  const line = document.createElement('p');
  line.textContent = text;
  log.append(line);
  while (log.childElementCount > MAX_LINES_SAID) log.firstElementChild.remove();
}

export function forgetSaid() {
  lastSaid = '';
  document.getElementById('announcements').replaceChildren();
}

// Forms

export const hasActedOn = version => lastSubmission.startsWith(`${version} `);

// Sends a form of the live part with fetch, once per version however often it is clicked.
function submitByScript(event) {
  const button = event.submitter;
  const form = event.target;
  const inMenu = form.closest('.menu, [popover]');
  if (!(fragment().contains(form) || inMenu) || form.method !== 'post' || 'plain' in form.dataset) return;
  event.preventDefault();
  if (button && !isUsable(button)) {
    showNotice(button.title || document.body.dataset.notNow);
    return;
  }
  form.closest('details')?.removeAttribute('open');
  form.closest('[popover]')?.hidePopover();
  const submission = `${fragment().dataset.version} ${actionOf(form)} ${options.submissionKey(form, button)}`;
  if (lastSubmission === submission && !inMenu) return;
  lastSubmission = submission;
  options.onSubmit?.();
  send(form, button);
}

// A field named "action" would hide the form's property.
const actionOf = form => form.getAttribute('action');

// Retrying is safe: the server executes a command once per version.
async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  form.dataset.sent = '';
  let isRefused = false;
  for (const delay of options.retryPauses) {
    try {
      const response = await fetch(actionOf(form), { method: 'POST', body, headers: { Accept: 'application/json' } });
      if (response.ok) {
        showLost(false);
        // Reload for a new guest, whose feed was opened anonymously.
        if ((await response.json()).new) location.reload();
        return;
      }
      if (response.status !== 503 || !delay) {
        const { message, path } = (await response.json()).error;
        showNotice(message);
        focusField(form, path);
        delete form.dataset.sent;
        isRefused = true;
        break;
      }
    } catch {
      showLost(true);
    }
    await pause(delay);
  }
  lastSubmission = '';
  delete form.dataset.sent;
  if (!isRefused && document.body.dataset.unsent) showNotice(document.body.dataset.unsent);
  connect();
}

// Moves the focus to the field that an error names, else to the first one of the form.
function focusField(form, path) {
  const fields = [...form.elements].filter(field => field.matches('input:not([type=hidden]), select, textarea'));
  for (const field of fields) field.removeAttribute('aria-invalid');
  const field = fields.find(({ name }) => name === path) ?? fields[0];
  if (!field) return;
  field.closest('details')?.setAttribute('open', '');
  field.setAttribute('aria-invalid', 'true');
  field.focus();
}

// Notices

export function showNotice(text, kind = '') {
  document.querySelector(`.notice${kind ? `.${kind}` : ':not(.lost)'}`)?.remove();
  const line = document.createElement('p');
  line.className = `notice ${kind}`;
  line.setAttribute('role', 'alert');
  line.textContent = text;
  document.body.append(line);
  if (!kind) setTimeout(() => line.remove(), NOTICE_MS);
}

function showLost(isLost) {
  document.querySelector('.lost')?.remove();
  if (isLost) showNotice(options.lostText, 'lost');
}

// Clock

function startClock(within) {
  const clock = within.querySelector('[data-left]');
  if (clock) clock.dataset.until = performance.now() + 1000 * clock.dataset.left;
}

function tickClock() {
  const clock = document.querySelector('[data-until]');
  if (!clock) return;
  const secondsLeft = Math.ceil((clock.dataset.until - performance.now()) / 1000);
  clock.textContent = 'minutes' in clock.dataset ? formatMinutes(secondsLeft) : `${Math.max(0, secondsLeft)} s`;
  clock.parentElement.classList.toggle('up', secondsLeft <= 0);
  const call = clock.parentElement.querySelector('[data-calls]');
  if (call) showCall(call, secondsLeft);
}

// data-calls: "0:time is up|300:five minutes"; shows the first entry with at least `secondsLeft` seconds.
function showCall(element, secondsLeft) {
  const calls = element.dataset.calls.split('|').map(call => call.split(':'));
  const [, text = ''] = calls.find(([seconds]) => secondsLeft <= seconds) ?? [];
  if (element.textContent === text) return;
  element.textContent = text;
  if (text) chime();
}

function formatMinutes(seconds) {
  const absolute = Math.abs(seconds);
  const minutes = Math.floor(absolute / 60);
  return `${seconds < 0 ? '-' : ''}${minutes}:${String(absolute % 60).padStart(2, '0')}`;
}

async function chime() {
  const { play } = await import('./sound.mjs');
  play('turn');
}
