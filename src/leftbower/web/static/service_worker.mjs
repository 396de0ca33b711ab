// Service worker: keeps the shell only, which is the fingerprinted static files and the page for when there is no
// network. It never keeps a table, an event or any other page. Its URL has the fingerprint, so an upgrade installs it
// again, and the files of before are dropped.

const FINGERPRINT = new URL(location).searchParams.get('files');
const SHELL = `/static/${FINGERPRINT}/`;
const OFFLINE = '/offline';

addEventListener('install', event => {
  skipWaiting();
  event.waitUntil(caches.open(FINGERPRINT).then(cache => cache.addAll([OFFLINE, `${SHELL}base.css`])));
});

addEventListener('activate', event => {
  event.waitUntil(dropOldFiles().then(() => clients.claim()));
});

addEventListener('fetch', event => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(SHELL)) event.respondWith(fromCache(event.request));
  else if (event.request.mode === 'navigate') event.respondWith(fromServer(event.request));
});

addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(focusPage(event.notification.data));
});

async function dropOldFiles() {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name !== FINGERPRINT).map(name => caches.delete(name)));
}

async function fromCache(request) {
  const cached = await caches.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) {
    const copy = response.clone();
    const cache = await caches.open(FINGERPRINT);
    await cache.put(request, copy);
  }
  return response;
}

const fromServer = request => fetch(request).catch(() => caches.match(OFFLINE));

async function focusPage(path) {
  const pages = await clients.matchAll({ type: 'window' });
  const open = pages.find(page => new URL(page.url).pathname === path);
  await (open ? open.focus() : clients.openWindow(path));
}
