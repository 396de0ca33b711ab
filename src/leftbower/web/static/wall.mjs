// The wall: shows one screen at a time, fits its text into the picture, and turns the pages of what still does not fit.
// A list flows into columns of the screen's height; columns beyond its width are its next pages.

import { fragment } from './feed.mjs';

const PAGE_MS = 15000;
const SCALES = [1, .92, .84, .76, .7];
const SLACK_PX = 2;

let shown = '';

function flowsOf(screen) {
  return [...screen.querySelectorAll('.flow')];
}

const isOver = flow => flow.scrollWidth > flow.clientWidth + SLACK_PX;

// Takes the largest text with which everything fits on one page, else the smallest.
function fit(screen) {
  for (const scale of SCALES) {
    screen.style.setProperty('--fit', scale);
    if (!flowsOf(screen).some(isOver)) break;
  }
}

function pagesOf(flow) {
  const gap = Number.parseFloat(getComputedStyle(flow).columnGap) || 0;
  return Math.ceil((flow.scrollWidth - SLACK_PX + gap) / (flow.clientWidth + gap));
}

// Every page of every screen, in order.
function allPages() {
  const pages = [];
  const screens = document.querySelectorAll('.screen');
  for (const screen of screens) screen.hidden = true;
  for (const screen of screens) {
    screen.hidden = false;
    fit(screen);
    const count = Math.max(1, ...flowsOf(screen).map(pagesOf));
    for (let page = 0; page < count; page += 1) pages.push({ screen, page });
    screen.hidden = true;
  }
  return pages;
}

function show() {
  if (!fragment()?.matches('.wall')) return;
  const pages = allPages();
  const index = Math.floor(Date.now() / PAGE_MS) % pages.length;
  const { screen, page } = pages[index];
  screen.hidden = false;
  for (const flow of flowsOf(screen)) {
    const gap = Number.parseFloat(getComputedStyle(flow).columnGap) || 0;
    const last = pagesOf(flow) - 1;
    flow.scrollLeft = Math.min(page, last) * (flow.clientWidth + gap);
  }
  showDots(pages, index);
  shown = `${index} ${fragment().dataset.version} ${innerWidth} ${innerHeight}`;
}

function showDots(pages, index) {
  const dots = document.querySelector('.dots');
  dots.replaceChildren(...(pages.length > 1 ? pages : []).map((_, position) => {
    const dot = document.createElement('i');
    dot.classList.toggle('on', position === index);
    return dot;
  }));
  const next = document.querySelector('.next');
  const { title } = pages[(index + 1) % pages.length].screen.dataset;
  next.textContent = pages.length > 1 && title ? next.dataset.next.replace('{title}', title) : '';
}

function turn() {
  const pages = document.querySelectorAll('.dots i').length || 1;
  const index = Math.floor(Date.now() / PAGE_MS) % pages;
  if (shown !== `${index} ${fragment().dataset.version} ${innerWidth} ${innerHeight}`) show();
}

document.documentElement.classList.add('paged');
new MutationObserver(show).observe(document.body, { childList: true });
addEventListener('resize', show);
setInterval(turn, 500);
show();
