// The message box and the list of printed documents.

import * as wire from './wire.js';

const LABELS = { OK: 'OK', CANCEL: 'Cancel', RETRY: 'Retry', ABORT: 'Abort', IGNORE: 'Ignore', YES: 'Yes', NO: 'No' };

export class MessageBox {
  constructor(send) {
    this.send = send;
    this.dialog = document.createElement('dialog');
    this.dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      const { buttons, number } = this.state;
      const last = buttons.length - 1;
      if (last === 0 || buttons[last] === 'CANCEL') this.send(wire.answer(number, last));
    });
    this.dialog.addEventListener('keydown', (event) => this.keydown(event));
    document.body.append(this.dialog);
  }

  /** The keys of a terminal: the cursor keys and Tab go round the buttons, a letter chooses the button that begins with it. */
  keydown(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const buttons = [...this.dialog.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement);
    const back = event.key === 'ArrowLeft' || event.key === 'ArrowUp' || (event.key === 'Tab' && event.shiftKey);
    const on = event.key === 'ArrowRight' || event.key === 'ArrowDown' || event.key === 'Tab';
    if (back || on) buttons[(at + (back ? buttons.length - 1 : 1)) % buttons.length]?.focus();
    else if (/^\p{L}$/u.test(event.key)) {
      const chosen = this.state.buttons.findIndex((name) => name.toLowerCase().startsWith(event.key.toLowerCase()));
      if (chosen >= 0) this.send(wire.answer(this.state.number, chosen));
    } else return;
    event.preventDefault();
  }

  open(state) {
    this.state = state;
    const title = document.createElement('h2');
    title.textContent = state.title;
    const lines = state.lines.map((text) => {
      const line = document.createElement('p');
      line.textContent = text;
      return line;
    });
    const buttons = document.createElement('div');
    buttons.className = 'buttons';
    state.buttons.forEach((name, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = LABELS[name] ?? name;
      button.autofocus = at === state.default;
      button.addEventListener('click', () => this.send(wire.answer(state.number, at)));
      buttons.append(button);
    });
    this.dialog.setAttribute('role', state.icon === 'STOP' ? 'alertdialog' : 'dialog');
    this.dialog.replaceChildren(title, ...lines, buttons);
    if (!this.dialog.open) this.dialog.showModal();
    buttons.children[state.default]?.focus();
  }

  close() { if (this.dialog.open) this.dialog.close(); }

  remove() { this.dialog.remove(); }
}

/** A printed document with links to its text and its PDF, which open beside the page. */
export function printedItem({ id, number, title, pages }) {
  const item = document.createElement('li');
  item.append(`${title} (${pages === 1 ? '1 page' : `${pages} pages`}) `);
  for (const [words, form] of [['Text', 'txt'], ['PDF', 'pdf']]) {
    const link = Object.assign(document.createElement('a'), { textContent: words, target: '_blank', rel: 'noopener' });
    link.href = `/programs/api/printed/${id}/${number}.${form}`;
    link.setAttribute('aria-label', `${words} of ${title}`);
    item.append(link, ' ');
  }
  return item;
}
