// The text plane: one element a row, one span a run. Cells have a whole number of pixels, so that controls line up with text.

const ATTRIBUTES = [[1, 'dim'], [2, 'reverse'], [4, 'blink'], [8, 'underline']];

/** The classes of attributes and colours. Reverse video of two colours exchanges them. */
export function classes(attributes, foreground, background) {
  if (attributes & 2 && foreground && background) return classes(attributes & ~2, background, foreground);
  const names = ATTRIBUTES.filter(([bit]) => attributes & bit).map(([, name]) => name);
  if (foreground) names.push(`f${foreground}`);
  if (background) names.push(`b${background}`);
  return names.join(' ');
}

export class Plane {
  constructor(element) {
    this.element = element;
    this.rows = [];
    this.cursor = document.createElement('div');
    this.cursor.className = 'cursor';
    this.size = { columns: 80, rows: 25 };
    this.cell = { width: 8, height: 18 };
  }

  /** Chooses the size of a cell for the width of the window and makes the rows. */
  resize({ columns, rows }) {
    this.size = { columns, rows };
    this.measure();
    this.rows.forEach((row) => row.remove());
    this.rows = Array.from({ length: rows }, () => {
      const row = document.createElement('div');
      row.className = 'row';
      this.element.append(row);
      return row;
    });
    this.place();
    this.element.append(this.cursor);
  }

  measure() {
    const probe = document.createElement('span');
    probe.textContent = 'M'.repeat(100);
    probe.style.position = 'absolute';
    probe.style.fontSize = '100px';
    this.element.append(probe);
    const ratio = probe.getBoundingClientRect().width / 10000 || 0.6;
    probe.remove();
    const room = document.documentElement.clientWidth - 20;
    const width = Math.min(11, Math.max(5, Math.floor(room / this.size.columns)));
    const font = width / ratio;
    this.cell = { width, height: Math.ceil(font * 1.25) };
    this.element.style.fontSize = `${font}px`;
    this.element.style.lineHeight = `${this.cell.height}px`;
  }

  place() {
    const { width, height } = this.cell;
    this.element.style.width = `${this.size.columns * width + 2}px`;
    this.element.style.height = `${this.size.rows * height + 2}px`;
    this.rows.forEach((row, at) => {
      row.style.top = `${at * height}px`;
      row.style.height = `${height}px`;
      row.style.width = `${this.size.columns * width}px`;
    });
  }

  draw({ row, runs }) {
    const element = this.rows[row];
    if (!element) return;
    element.replaceChildren(...runs.map((run) => {
      const span = document.createElement('span');
      span.className = classes(run.attributes, run.foreground, run.background);
      span.style.left = `${run.column * this.cell.width}px`;
      span.textContent = run.text;
      return span;
    }));
  }

  showCursor({ column, row, mode }) {
    const { width, height } = this.cell;
    this.cursor.hidden = mode === 0;
    this.cursor.className = mode === 2 ? 'cursor insert' : 'cursor';
    Object.assign(this.cursor.style, {
      left: `${column * width}px`, top: `${row * height}px`, width: `${width}px`, height: `${height}px`,
    });
  }

  /** Puts an element at an area given in cells. */
  put(element, area) {
    const { width, height } = this.cell;
    Object.assign(element.style, {
      left: `${area.column * width}px`, top: `${area.row * height}px`,
      width: `${area.columns * width}px`, height: `${area.rows * height}px`,
    });
  }

  /** Cuts the parts out of an element that windows above it cover; such an element is shown and takes no clicks. */
  cut(element, area, covered) {
    const { width, height } = this.cell;
    const rectangle = (left, top, right, bottom) => `M${left} ${top}H${right}V${bottom}H${left}Z`;
    const holes = covered.map(({ column, row, columns, rows }) => rectangle(
      (column - area.column) * width, (row - area.row) * height,
      (column + columns - area.column) * width, (row + rows - area.row) * height,
    ));
    const whole = rectangle(0, 0, area.columns * width, area.rows * height);
    element.style.clipPath = holes.length ? `path(evenodd, "${whole}${holes.join('')}")` : '';
    element.inert = holes.length > 0;
  }

  /** The cell of a mouse event. */
  cellAt(event) {
    const box = this.element.getBoundingClientRect();
    const at = (position, size, most) => Math.min(most - 1, Math.max(0, Math.floor(position / size)));
    return {
      column: at(event.clientX - box.left, this.cell.width, this.size.columns),
      row: at(event.clientY - box.top, this.cell.height, this.size.rows),
    };
  }
}
