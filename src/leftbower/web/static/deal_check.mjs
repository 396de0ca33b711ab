// Verifies that the deck was sealed before the deal. Data and texts come from the page's data attributes.

export function checkDeal(within) {
  const box = within.querySelector('[data-check]');
  if (!box) return;
  const { match, opening, bound, root, leaves, botLeaf, opened, fits, wrongNumber, wrongCard } = box.dataset;
  const envelopes = leaves.split(' ');
  const openings = opened.trim().split(' ').filter(Boolean);
  const isBound = sha256(opening) === match && sha256(bound + envelopes.join('') + botLeaf) === root;
  const wrong = openings.filter(text => sha256(`leftbower leaf 1:${text}`) !== envelopes[text.split(':')[0]]);
  box.className = isBound && !wrong.length ? 'check fits' : 'check misfit';
  if (!isBound) {
    box.textContent = wrongNumber;
  } else if (wrong.length) {
    box.textContent = wrongCard.replace('%(card)s', wrong[0].split(':')[1]);
  } else {
    box.textContent = fits;
  }
}

// SHA-256 in script, because crypto.subtle is missing on plain HTTP, as on a hall's LAN.
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array(((bytes.length + 72) >> 6) * 16);
  for (const [index, byte] of bytes.entries()) words[index >> 2] |= byte << (24 - 8 * (index & 3));
  words[bytes.length >> 2] |= 0x80 << (24 - 8 * (bytes.length & 3));
  words[words.length - 1] = bytes.length * 8;
  const primes = firstPrimes(64);
  const keys = primes.map(prime => fraction(prime ** (1 / 3)));
  const state = primes.slice(0, 8).map(prime => fraction(prime ** (1 / 2)));
  for (let block = 0; block < words.length; block += 16) compress(state, words.subarray(block, block + 16), keys);
  return state.map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress(state, block, keys) {
  const schedule = [...block];
  let [a, b, c, d, e, f, g, h] = state;
  for (let round = 0; round < 64; round++) {
    if (round > 15) {
      const x = schedule[round - 15];
      const y = schedule[round - 2];
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      schedule[round] = (schedule[round - 16] + schedule[round - 7] + s0 + s1) | 0;
    }
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + keys[round] + schedule[round]) | 0;
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] + word) | 0;
}

function firstPrimes(count) {
  const primes = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every(prime => number % prime)) primes.push(number);
  }
  return primes;
}

const fraction = number => ((number % 1) * 2 ** 32) >>> 0;
const rotate = (word, bits) => (word >>> bits) | (word << (32 - bits));

checkDeal(document);
