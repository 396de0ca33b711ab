// Passkeys on the account page. Biometrics stay in the browser; the server gets only the credential.

import { showNotice } from './feed.mjs';

const ACTIONS = { add: addPasskey, 'sign-in': signIn };

async function addPasskey() {
  const options = await postJson('/api/me/passkey-options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const label = document.querySelector('[data-label]').value;
  const credential = await navigator.credentials.create({ publicKey });
  await postJson('/api/me/passkeys', { credential: credential.toJSON(), label });
  location.assign('/account?done=passkey');
}

async function signIn() {
  const options = await postJson('/api/sessions/passkey-options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await postJson('/api/sessions/passkey', { credential: credential.toJSON() });
  location.assign('/');
}

async function postJson(address, value) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: value && JSON.stringify(value) });
  const answer = await response.json();
  if (!response.ok) throw new Error('refused', { cause: answer.error.message });
  return answer;
}

async function run(button) {
  button.disabled = true;
  try {
    await ACTIONS[button.dataset.passkey]();
  } catch (error) {
    const isCanceled = error.name === 'NotAllowedError';
    const { canceled, failed } = document.body.dataset;
    showNotice(isCanceled ? canceled : (error.cause ?? failed));
  } finally {
    button.disabled = false;
  }
}

for (const button of document.querySelectorAll('[data-passkey]')) {
  button.hidden = !globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON;
  button.addEventListener('click', () => run(button));
}
