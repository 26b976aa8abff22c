// The input field. The server edits the text; this module performs the same keys on a copy, so that typing shows at once, and
// takes over the server's state when it has used all keys that were sent.

/** Performs a key on a state as the server's editor does; false if the effect is the server's to decide. */
export function edit(state, key) {
  const characters = [...state.text];
  const length = characters.length;
  if (key.code === 0 && !(key.held & 6)) {
    let character = String.fromCodePoint(key.character);
    if (state.upper) character = character.toUpperCase();
    if (state.fresh) characters.length = 0;
    if (state.cursor < characters.length && !state.insert) characters[state.cursor] = character;
    else if (characters.length < state.longest) characters.splice(state.cursor, 0, character);
    else return true;
    state.cursor++;
  } else {
    switch (key.name) {
      case 'Backspace': if (state.cursor > 0) characters.splice(--state.cursor, 1); break;
      case 'Delete': characters.splice(state.cursor, 1); break;
      case 'Insert': state.insert = !state.insert; break;
      case 'ArrowLeft': state.cursor = Math.max(0, state.cursor - 1); break;
      case 'ArrowRight': state.cursor = Math.min(length, state.cursor + 1); break;
      case 'Home': state.cursor = 0; break;
      case 'End': state.cursor = length; break;
      default: return false;
    }
  }
  state.fresh = false;
  state.text = characters.join('');
  return true;
}

export class Field {
  constructor(plane, send) {
    this.plane = plane;
    this.sendKey = send.key;
    this.sendText = send.text;
    this.pending = [];
    this.keysDone = null;
    this.state = null;
    this.element = document.createElement('input');
    this.element.className = 'field';
    this.element.setAttribute('aria-label', 'Input');
    for (const name of ['autocomplete', 'autocapitalize', 'autocorrect']) this.element.setAttribute(name, 'off');
    this.element.spellcheck = false;
    this.element.hidden = true;
    this.element.addEventListener('focus', send.focus);
    this.element.addEventListener('beforeinput', (event) => this.beforeInput(event));
    this.element.addEventListener('compositionend', (event) => { this.type(event.data ?? ''); this.show(); });
    // A click puts the cursor where the text was clicked, by as many keys as it takes.
    this.element.addEventListener('click', () => this.moveTo(this.element.selectionStart ?? 0));
  }

  /** The state of the server, at the first frame or after keys. */
  update(input) {
    this.settle(input.keysDone);
    const opened = this.state?.number !== input.number;
    this.server = input;
    this.element.hidden = false;
    this.plane.put(this.element, { column: input.column, row: input.row, columns: input.width, rows: 1 });
    this.element.classList.toggle('hiding', input.hidden);
    this.predict();
    return opened;
  }

  close(keysDone) {
    this.settle(keysDone);
    this.state = this.server = null;
    this.element.hidden = true;
    this.element.value = '';
  }

  /** Forgets what was sent: a new socket begins. */
  reset() {
    this.pending = [];
    this.keysDone = null;
  }

  settle(keysDone) {
    if (this.keysDone !== null) this.pending.splice(0, (keysDone - this.keysDone) >>> 0);
    this.keysDone = keysDone;
  }

  predict() {
    this.state = { ...this.server };
    if (!this.state.guarded) {
      for (const key of this.pending) if (!edit(this.state, key)) break;
    }
    this.show();
  }

  show() {
    if (!this.state) return;
    const { text, cursor, hidden } = this.state;
    this.element.value = hidden ? '' : text;
    const units = [...text].slice(0, cursor).join('').length;
    if (document.activeElement === this.element) this.element.setSelectionRange(units, units);
  }

  /** Sends a key and shows its effect. */
  press(key) {
    this.pending.push(key);
    this.sendKey(key);
    if (this.state) this.predict();
  }

  /** Sends text that was typed, pasted or composed. */
  type(value) {
    const characters = [...value.replace(/\r\n?/g, '\n')];
    if (!characters.length) return;
    for (const character of characters) {
      const enter = character === '\n';
      this.pending.push(enter ? { name: 'Enter', code: 1, held: 0 } : { name: character, code: 0, character: character.codePointAt(0), held: 0 });
    }
    this.sendText(characters.join(''));
    if (this.state) this.predict();
  }

  moveTo(units) {
    if (!this.state || this.state.hidden) return;
    const target = [...this.element.value.slice(0, units)].length;
    const steps = target - this.state.cursor;
    const name = steps < 0 ? 'ArrowLeft' : 'ArrowRight';
    for (let step = 0; step < Math.abs(steps); step++) this.press({ name, code: steps < 0 ? 7 : 8, character: 0, held: 0 });
  }

  /** Changes that come without a key: keyboards of phones, dictation, paste. */
  beforeInput(event) {
    if (event.inputType === 'insertCompositionText') return;
    event.preventDefault();
    if (event.inputType.startsWith('delete')) {
      const forward = event.inputType.includes('Forward');
      this.press({ name: forward ? 'Delete' : 'Backspace', code: forward ? 5 : 4, character: 0, held: 0 });
    } else {
      this.type(event.data ?? event.dataTransfer?.getData('text/plain') ?? '');
    }
  }
}
