// Pages beside the table, loaded at the first tap on a link to one: they open in a dialog, and a hint in its place.

import { fragment, sayNow, showNotice } from './feed.mjs';

export async function openPage(link) {
  document.querySelector('.menu details')?.removeAttribute('open');
  if ('hint' in link.dataset) await showHint(link);
  else await showDialog(link.href);
}

async function fetchMain(address) {
  try {
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return document.importNode(page.querySelector('main'), true);
  } catch {
    showNotice(document.body.dataset.noPage);
    return null;
  }
}

async function showDialog(address) {
  const dialog = document.getElementById('dialog');
  const content = dialog.lastElementChild;
  const focusedRel = document.activeElement?.rel;
  const page = await fetchMain(address);
  if (!page) return;
  content.replaceChildren(page);
  dialog.setAttribute('aria-label', page.querySelector('h1').textContent);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  if (focusedRel) {
    const link = content.querySelector(`[rel="${focusedRel}"]`) ?? content.querySelector('[rel]');
    link?.focus();
  }
  content.querySelector('[data-close]')?.addEventListener('click', event => {
    event.preventDefault();
    dialog.close();
  });
  if (content.querySelector('[data-check]')) {
    const { checkDeal } = await import('./deal_check.mjs');
    checkDeal(content);
  }
}

// Hint: lights what the coach would do, and says it over the viewer's own place; a second tap takes it away.

async function showHint(link) {
  if (clearHint()) return;
  const { version } = fragment().dataset;
  const page = await fetchMain(link.href);
  const advice = page?.querySelector('[data-advice]');
  if (fragment().dataset.version !== version) return;
  if (!advice) {
    if (page) showNotice(page.querySelector('p').textContent);
    return;
  }
  const box = document.createElement('aside');
  box.className = 'hint';
  box.append(advice);
  box.querySelector('[data-close]').addEventListener('click', event => {
    event.preventDefault();
    clearHint();
  });
  putHint(box);
  sayNow(advice.querySelector('.best-choice').textContent);
}

export function putHint(box) {
  fragment().querySelector('.prompt').prepend(box);
  for (const best of bestControls(box.firstElementChild.dataset.advice.split(' '))) best.classList.add('best');
  document.querySelector('[data-hint]')?.classList.add('on');
}

// The cards in the hand, or the buttons of the panel.
function bestControls(tokens) {
  const selectors = tokens.flatMap(token => [`.hand [data-k="${token}"]`, `.panel [value="${token}"]`]);
  return fragment().querySelectorAll(selectors.join());
}

function clearHint() {
  const box = document.querySelector('.hint');
  for (const lit of document.querySelectorAll('.best')) lit.classList.remove('best');
  document.querySelector('[data-hint]')?.classList.remove('on');
  box?.remove();
  return Boolean(box);
}
