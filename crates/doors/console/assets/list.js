// Lists of any length: a spacer as high as all rows, some dozen row elements that move, and blocks of rows from the server.
//
// Rows that are not here are asked for in blocks, those in view first; when nothing is missing the rest is fetched in the
// background up to a limit. Browsers limit the height of an element, so that beyond MOST_HEIGHT the scroll position is
// scaled to rows.

import * as wire from './wire.js';

const GRID = 6;
const BLOCK = 200;
const PREFETCH = 2000;
const MOST_HEIGHT = 8_000_000;
const MOST_ROWS_KEPT = 100_000;
const SPARE = 6;

export class List {
  constructor(plane, state, send) {
    this.plane = plane;
    this.send = send;
    this.handle = state.handle;
    this.blocks = new Map();
    this.asked = new Map();
    this.pool = [];
    this.count = 0;
    this.generation = 0;
    this.selected = new Set();
    this.current = -1;
    this.settled = -1e9;
    this.typed = { text: '', at: 0 };
    this.element = document.createElement('div');
    this.element.className = 'list';
    this.heads = document.createElement('div');
    this.heads.className = 'heads';
    this.rows = document.createElement('div');
    this.rows.className = 'rows';
    this.rows.tabIndex = 0;
    this.rows.setAttribute('role', 'listbox');
    this.spacer = document.createElement('div');
    this.spacer.className = 'spacer';
    this.rows.append(this.spacer);
    this.element.append(this.heads, this.rows);
    this.rows.addEventListener('scroll', () => this.schedule());
    this.rows.addEventListener('focus', () => send(wire.focus(this.handle)));
    this.rows.addEventListener('keydown', (event) => this.keydown(event));
    this.rows.addEventListener('click', (event) => this.click(event, 1));
    this.rows.addEventListener('dblclick', (event) => this.click(event, 2));
    this.update(state);
  }

  get focusable() { return this.rows; }

  update(state) {
    const grid = state.kind === GRID;
    // While the user moves fast, the server's answers are behind.
    if (grid && this.state && performance.now() - this.settled < 400) state.currentColumn = this.state.currentColumn;
    // Cells carry their column's width and the mark of the current cell.
    if (this.state && JSON.stringify([this.state.headings, this.state.currentColumn]) !== JSON.stringify([state.headings, state.currentColumn])) {
      for (const line of this.pool) line.text = null;
    }
    this.state = state;
    this.element.classList.toggle('grid', grid);
    this.rowHeight = Math.max(this.plane.cell.height, 14);
    this.plane.put(this.element, state.area);
    this.plane.cut(this.element, state.area, state.covered);
    this.element.hidden = !state.visible && !state.covered.length;
    this.element.title = state.tip;
    this.element.classList.toggle('disabled', !state.enabled);
    this.rows.tabIndex = state.enabled ? 0 : -1;
    this.rows.setAttribute('aria-disabled', String(!state.enabled));
    this.rows.setAttribute('aria-label', state.tip || state.message || `List ${state.id}`);
    this.rows.setAttribute('role', grid ? 'grid' : state.style === 3 ? 'tree' : 'listbox');
    if (grid) this.rows.setAttribute('aria-readonly', 'true');
    this.rows.setAttribute('aria-multiselectable', String(state.options.includes('#')));
    this.drawHeads();
    this.schedule();
  }

  drawHeads() {
    const { headings, style, options } = this.state;
    this.heads.hidden = style !== 2 || headings.length === 0;
    this.heads.replaceChildren(...headings.map((heading, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.tabIndex = -1;
      button.textContent = heading.title;
      button.className = ['', 'right', 'centre'][heading.alignment] ?? '';
      button.style.width = `${heading.width * this.plane.cell.width}px`;
      button.disabled = this.state.kind === GRID || /[bq]/.test(options);
      button.addEventListener('click', () => {
        this.order = { column, descending: this.order?.column === column && !this.order.descending };
        this.send(wire.sort(this.handle, column, this.order.descending));
      });
      return button;
    }));
  }

  /** The rows or the selection have changed: blocks behind the first changed row are dropped. */
  change({ generation, count, firstChanged, selected }) {
    if (generation !== this.generation || firstChanged < this.count || count < this.count) {
      const keep = Math.floor(firstChanged / BLOCK);
      for (const block of this.blocks.keys()) if (block >= keep) this.blocks.delete(block);
      this.asked.clear();
    } else if (count !== this.count) {
      // The last block may have been short.
      this.blocks.delete(Math.floor(firstChanged / BLOCK));
    }
    this.generation = generation;
    this.count = count;
    this.spacer.style.height = `${Math.min(count * this.rowHeight, MOST_HEIGHT)}px`;
    const told = new Set(selected);
    // While the user moves fast, the server's answers are behind.
    const moving = performance.now() - this.settled < 400 && told.size <= 1;
    if (!moving) {
      const moved = [...told].some((row) => !this.selected.has(row));
      this.selected = told;
      if (selected.length && moved) this.reveal(selected[0]);
      if (selected.length) this.current = selected[0];
    }
    if (this.current >= count) this.current = count - 1;
    this.draw();
  }

  receive({ generation, from, rows }) {
    if (generation !== this.generation) {
      this.asked.clear();
      return;
    }
    for (let at = 0; at < rows.length; at++) {
      const block = Math.floor((from + at) / BLOCK);
      let kept = this.blocks.get(block);
      if (!kept) this.blocks.set(block, kept = []);
      kept[(from + at) % BLOCK] = rows[at];
    }
    this.asked.delete(from);
    this.schedule();
    this.prefetch();
  }

  text(row) { return this.blocks.get(Math.floor(row / BLOCK))?.[row % BLOCK]; }

  /** Asks for rows of the view that are not here. */
  want(first, last) {
    for (let block = Math.floor(first / BLOCK); block * BLOCK <= last; block++) {
      const from = block * BLOCK;
      const until = Math.min(this.count, from + BLOCK);
      const kept = this.blocks.get(block);
      if (from >= this.count || (kept && kept.length >= until - from && !kept.includes(undefined))) continue;
      this.ask(from, until - from);
    }
  }

  ask(from, count) {
    if (this.asked.has(from)) return;
    this.asked.set(from, count);
    this.send(wire.wantRows(this.handle, from, count));
  }

  /** Fetches further rows while nothing else is asked for, without keeping too many. */
  prefetch() {
    if (this.asked.size || this.idle || this.blocks.size * BLOCK > MOST_ROWS_KEPT) return;
    this.idle = setTimeout(() => {
      this.idle = 0;
      if (this.asked.size || document.hidden) return;
      for (let block = 0; block * BLOCK < this.count; block++) {
        if (this.blocks.has(block)) continue;
        this.ask(block * BLOCK, Math.min(PREFETCH, this.count - block * BLOCK));
        return;
      }
    }, 30);
  }

  /** Drops blocks far from the view when there are too many. */
  trim(first) {
    if (this.blocks.size * BLOCK <= MOST_ROWS_KEPT * 1.2) return;
    const near = first / BLOCK;
    const order = [...this.blocks.keys()].sort((one, other) => Math.abs(other - near) - Math.abs(one - near));
    for (const block of order.slice(0, this.blocks.size - MOST_ROWS_KEPT / BLOCK)) this.blocks.delete(block);
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => { this.scheduled = false; this.draw(); });
  }

  get visible() { return Math.max(1, Math.floor((this.rows.clientHeight || this.state.area.rows * this.rowHeight) / this.rowHeight)); }

  /** The position of the first visible row, with its fraction. */
  get top() {
    const height = this.count * this.rowHeight;
    if (height <= MOST_HEIGHT) return this.rows.scrollTop / this.rowHeight;
    const share = this.rows.scrollTop / Math.max(1, MOST_HEIGHT - this.rows.clientHeight);
    return Math.min(1, share) * Math.max(0, this.count - this.visible);
  }

  set top(row) {
    const height = this.count * this.rowHeight;
    if (height <= MOST_HEIGHT) this.rows.scrollTop = row * this.rowHeight;
    else this.rows.scrollTop = row / Math.max(1, this.count - this.visible) * (MOST_HEIGHT - this.rows.clientHeight);
  }

  reveal(row) {
    const top = this.top;
    if (row < top) this.top = row;
    else if (row > top + this.visible - 1) this.top = row - this.visible + 1;
    this.schedule();
  }

  draw() {
    if (!this.element.isConnected || this.element.hidden) return;
    const top = this.top;
    const first = Math.max(0, Math.floor(top) - SPARE);
    const last = Math.min(this.count - 1, Math.ceil(top) + this.visible + SPARE);
    const needed = Math.max(0, last - first + 1);
    while (this.pool.length < needed) {
      const line = document.createElement('div');
      line.className = 'line';
      line.setAttribute('role', this.state.kind === GRID ? 'row' : this.state.style === 3 ? 'treeitem' : 'option');
      this.rows.append(line);
      this.pool.push({ element: line, row: -1, text: null });
    }
    const scaled = this.count * this.rowHeight > MOST_HEIGHT;
    const origin = scaled ? this.rows.scrollTop - top * this.rowHeight : 0;
    const used = new Set();
    for (let row = first; row <= last; row++) {
      const line = this.pool[row % this.pool.length];
      used.add(line);
      this.drawLine(line, row, origin);
    }
    for (const line of this.pool) if (!used.has(line)) { line.element.hidden = true; line.row = -1; }
    if (needed) this.want(first, last);
    this.trim(first);
    this.prefetch();
  }

  drawLine(line, row, origin) {
    const text = this.text(row) ?? '';
    const element = line.element;
    if (line.row !== row || line.text !== text || line.height !== this.rowHeight) {
      element.style.height = `${this.rowHeight}px`;
      element.id = `list${this.handle}row${row}`;
      element.setAttribute('aria-posinset', String(row + 1));
      element.setAttribute('aria-setsize', String(this.count));
      if (line.text !== text) this.fill(element, text);
      Object.assign(line, { row, text, height: this.rowHeight });
    }
    element.hidden = false;
    element.style.transform = `translateY(${Math.round(origin + row * this.rowHeight)}px)`;
    const selected = this.selected.has(row);
    element.classList.toggle('selected', selected);
    element.setAttribute('aria-selected', String(selected));
    if (row === this.current) this.rows.setAttribute('aria-activedescendant', element.id);
  }

  fill(element, text) {
    if (this.state.style === 3) {
      const [depth, sign, name] = text.split('\t');
      element.textContent = text === '' ? '' : `${'  '.repeat(Number(depth))}${{ '+': '▸ ', '-': '▾ ' }[sign] ?? '  '}${name ?? ''}`;
      if (text !== '') element.setAttribute('aria-level', String(Number(depth) + 1));
      return;
    }
    const { headings } = this.state;
    if (!headings.length) {
      element.replaceChildren(...coloured(text.replaceAll('\t', ' ')));
      return;
    }
    const fields = text.split('\t');
    element.replaceChildren(...headings.map((heading, column) => {
      const cell = document.createElement('span');
      cell.className = ['cell', 'cell right', 'cell centre'][heading.alignment];
      cell.style.width = `${heading.width * this.plane.cell.width}px`;
      if (this.state.kind === GRID) {
        cell.setAttribute('role', 'gridcell');
        cell.dataset.column = String(column);
        cell.classList.toggle('current', column + 1 === this.state.currentColumn);
      }
      cell.append(...coloured(fields[heading.field] ?? ''));
      return cell;
    }));
  }

  /** Selects a row here at once and tells the server. Mode 0 is a cursor key, 1 a click, 2 a double click, 13 Enter. */
  choose(row, mode, extend = false) {
    if (!this.count || !this.state.enabled || this.state.locked) return;
    row = Math.min(this.count - 1, Math.max(0, row));
    this.current = row;
    if (!(mode === 13 && extend)) this.selected = extend && this.state.options.includes('#') ? this.selected : new Set([row]);
    // The program may answer Enter by moving to another cell.
    this.settled = this.state.kind === GRID && mode === 13 ? -1e9 : performance.now();
    this.reveal(row);
    if (this.state.kind === GRID) this.send(wire.cell(this.handle, Math.max(0, this.state.currentColumn - 1), row, mode));
    else this.send(wire.select(this.handle, row, mode, extend));
    this.draw();
  }

  keydown(event) {
    if (event.altKey || event.metaKey) return;
    const page = Math.max(1, this.visible - 1);
    const at = this.current;
    const moves = {
      ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - page, PageDown: at + page, Home: 0, End: this.count - 1,
    };
    if (event.key in moves) this.choose(moves[event.key], 0);
    else if (this.state.kind === GRID && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) this.moveColumn(event.key === 'ArrowLeft' ? -1 : 1);
    else if (event.key === 'Enter') this.choose(Math.max(0, at), 13, true);
    else if (this.state.style === 3 && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) this.send(wire.expand(this.handle, Math.max(0, at)));
    else if (event.key === ' ' && this.state.options.includes('#')) this.choose(at, 1, true);
    else if (this.state.kind !== GRID && event.key.length === 1 && !event.ctrlKey) this.find(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Makes another column of a grid the current one, here at once, and shows it. */
  moveColumn(step) {
    const column = this.state.currentColumn - 1 + step;
    if (column < 0 || column >= this.state.headings.length) return;
    this.setColumn(column);
    this.choose(Math.max(0, this.current), 0);
    this.rows.querySelector('.selected .current')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  setColumn(column) {
    this.state.currentColumn = column + 1;
    for (const line of this.pool) line.text = null;
  }

  /** Typing within a second looks for a row that begins so. The server has all rows. */
  find(character) {
    const now = performance.now();
    const going = now - this.typed.at < 1000;
    this.typed = { text: going ? this.typed.text + character : character, at: now };
    this.settled = 0;
    this.send(wire.search(this.handle, Math.max(0, going ? this.current : this.current + 1), this.typed.text));
  }

  click(event, mode) {
    const line = event.target.closest('.line');
    const found = this.pool.find((known) => known.element === line);
    if (!found || found.row < 0) return;
    const column = event.target.closest('.cell')?.dataset.column;
    if (this.state.kind === GRID && column !== undefined) this.setColumn(Number(column));
    if (this.state.style === 3 && mode === 2) this.send(wire.expand(this.handle, found.row));
    this.choose(found.row, mode, event.ctrlKey || event.shiftKey);
  }

  refocus() { this.rows.focus({ preventScroll: true }); }

  remove() { clearTimeout(this.idle); this.element.remove(); }
}

/** The parts of a text with its colours, which an escape, f or b, and a digit set. */
function coloured(text) {
  if (!text.includes('\u001b')) return [text];
  const parts = [];
  let names = { f: 0, b: 0 };
  for (const part of text.split(/(\u001b[fb]\d)/)) {
    if (part.startsWith('\u001b')) { names = { ...names, [part[1]]: Number(part[2]) }; continue; }
    if (!part) continue;
    const span = document.createElement('span');
    span.className = [names.f ? `f${names.f}` : '', names.b ? `b${names.b}` : ''].join(' ').trim();
    span.textContent = part;
    parts.push(span);
  }
  return parts;
}
