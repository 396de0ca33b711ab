// The form of a plan: shows what the chosen sheet plays, as long as the format is left to the sheet.

const rules = document.querySelector('select[data-shows=sheet]');
const format = document.querySelector('select[data-shows=format]');

function showSheet() {
  for (const text of document.querySelectorAll('[data-sheet]')) {
    text.hidden = text.dataset.sheet !== rules.value || format.value !== '';
  }
}

if (rules && format) {
  rules.addEventListener('change', showSheet);
  format.addEventListener('change', showSheet);
  showSheet();
}
