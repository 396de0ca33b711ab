// Share and copy buttons: the device's own sheet if it has one, else the clipboard. Texts are in data attributes.

const DONE_MS = 2000;

// data-copy: what to copy; data-share: a title or sentence to share with data-url, or without it with this page's game.
export async function share(button) {
  const { copy, share: text, url } = button.dataset;
  if (text !== undefined && navigator.share) {
    try {
      await navigator.share(url ? { title: text, url } : { text });
    } catch {
      // The person closed the sheet.
    }
    return;
  }
  await copyText(copy ?? url ?? text);
  showDone(button);
}

// Without HTTPS there is no clipboard API; then the text is selected and copied by command.
async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr';
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

function showDone(button) {
  if (button.dataset.before) return;
  const label = button.lastChild;
  button.dataset.before = label.textContent;
  label.textContent = button.dataset.done;
  setTimeout(() => {
    label.textContent = button.dataset.before;
    delete button.dataset.before;
  }, DONE_MS);
}
