// What a device offers to a table, loaded at the first tap or key: the service worker, and a notification with a
// vibration when the turn comes while the page is hidden. Permission is asked only on a tap on its button.

import { showNotice } from './feed.mjs';

const STORAGE_KEY = 'leftbower-notify';
const VIBRATION_MS = [120, 80, 120];
const FINGERPRINT = new URL(import.meta.url).pathname.split('/')[2];

const button = () => document.querySelector('[data-notify]');
const isPossible = () => 'Notification' in window && 'serviceWorker' in navigator;

export const notifies = () =>
  isPossible() && Notification.permission === 'granted' && localStorage.getItem(STORAGE_KEY) === 'on';

// Both exist only over HTTPS or on this computer.
export function start() {
  navigator.serviceWorker?.register(`/service-worker.mjs?files=${FINGERPRINT}`);
  if (!isPossible() || !button()) return;
  button().hidden = false;
  showState();
  button().addEventListener('click', toggle);
}

async function toggle() {
  const isOn = !notifies();
  if (isOn && await Notification.requestPermission() !== 'granted') {
    showNotice(button().dataset.denied);
    return;
  }
  localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
  showState();
}

function showState() {
  button().setAttribute('aria-pressed', notifies());
}

export async function notifyTurn() {
  if (!document.hidden || !notifies()) return;
  const registration = await navigator.serviceWorker.ready;
  registration.showNotification(document.body.dataset.turnTitle, {
    body: document.getElementById('spoken')?.dataset.news,
    tag: location.pathname,
    icon: document.querySelector('link[rel="apple-touch-icon"]').href,
    vibrate: VIBRATION_MS,
    data: location.pathname,
  });
}
