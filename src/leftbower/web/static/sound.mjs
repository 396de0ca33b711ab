// Sounds, synthesized: bursts of filtered noise for cards, tones for turns and results. Loaded when first needed.

const VOLUMES = { 'volume-off': 0, quiet: 0, 'volume-low': .35 };
const NOISE_SECONDS = .5;

// Noise: start and length in seconds, the filter's frequency at start and end, and its peak volume.
// Tone: start and length in seconds, frequency, peak volume, and the shape of the wave.
const tones = (wave, peak, step, lasts, ...hertz) =>
  hertz.map((tone, index) => ({ at: index * step, lasts, tone, peak, wave }));
const SOUNDS = {
  card: [{ at: 0, lasts: .07, from: 3800, to: 1400, peak: .5 }, ...tones('sine', .25, 0, .06, 140)],
  deal: Array.from({ length: 8 }, (_, packet) => ({ at: packet * .125, lasts: .09, from: 5200, to: 2600, peak: .22 })),
  trick: [{ at: 0, lasts: .3, from: 900, to: 3200, peak: .2 }, ...tones('sine', .2, 0, .1, 110)],
  bid: tones('triangle', .12, 0, .09, 392),
  trump: tones('triangle', .14, .03, .4, 523, 784),
  turn: tones('sine', .12, .12, .3, 659, 880),
  alone: tones('triangle', .2, .16, .7, 196, 294, 392),
  win: tones('triangle', .14, .11, .5, 523, 659, 784, 1047),
  loss: tones('triangle', .11, .15, .45, 392, 330, 262),
};

let audio;
let noise;

export function volume() {
  const chosen = Object.keys(VOLUMES).find(name => document.documentElement.classList.contains(name));
  return chosen === undefined ? 1 : VOLUMES[chosen];
}

export function play(name) {
  // Browsers mute pages without a click.
  if (!volume() || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  if (audio.state === 'suspended') audio.resume();
  for (const part of SOUNDS[name]) playPart(part);
}

function playPart({ at, lasts, tone, from, to, peak, wave }) {
  const start = audio.currentTime + at;
  const gain = audio.createGain();
  gain.gain.setValueAtTime(peak * volume(), start);
  gain.gain.exponentialRampToValueAtTime(.0005, start + lasts);
  gain.connect(audio.destination);
  const source = tone ? oscillator(tone, wave, gain) : rustle(from, to, start, lasts, gain);
  source.start(start);
  source.stop(start + lasts);
}

function oscillator(hertz, wave, output) {
  const source = audio.createOscillator();
  source.type = wave;
  source.frequency.value = hertz;
  source.connect(output);
  return source;
}

function rustle(from, to, start, lasts, output) {
  const source = audio.createBufferSource();
  source.buffer = noise ??= whiteNoise();
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.Q.value = .8;
  filter.frequency.setValueAtTime(from, start);
  filter.frequency.exponentialRampToValueAtTime(to, start + lasts);
  source.connect(filter).connect(output);
  return source;
}

function whiteNoise() {
  const buffer = audio.createBuffer(1, audio.sampleRate * NOISE_SECONDS, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index++) samples[index] = Math.random() * 2 - 1;
  return buffer;
}
