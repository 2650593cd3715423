/**
 * All controls of the page, made of the toolkit's elements where its policy lets them be. The toolkit arrives after the first entries: until then its
 * elements are plain ones that look alike (styles/controls.css) and do the same.
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';

const elements = ['vscode-button', 'vscode-text-area', 'vscode-text-field'] as const;
let ready = false;

/** Changes once, when the toolkit's elements are there; what is drawn once and kept must be drawn again then. */
export function controlsReady(): boolean {
  return ready;
}

/**
 * Calls `then` once the toolkit's elements are defined. It must draw at once: until then an element and the button inside of it
 * are both buttons.
 */
export async function whenControlsReady(then: () => void): Promise<void> {
  await Promise.all(elements.map((name) => customElements.whenDefined(name)));
  ready = true;
  then();
}

export interface ButtonOptions {
  readonly label: string;
  readonly onClick: (event: Event) => void;
  /** Codicon. With `look: 'icon'` it is all that is seen. */
  readonly icon?: string;
  readonly look?: 'primary' | 'secondary' | 'icon';
  readonly title?: string;
  readonly id?: string;
  readonly disabled?: boolean;
  /** Does nothing for now, and says so, but keeps its place in the order of focus. */
  readonly unready?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean;
  readonly opensMenu?: boolean;
  readonly tabIndex?: number;
}

/** The toolkit hands only some of these attributes on to its own button, which is what has the focus: hence the properties. */
export function button(options: ButtonOptions): TemplateResult {
  const { label, icon, look = 'secondary', title, id, disabled = false, unready = false } = options;
  const act = (event: Event): void => {
    if (!disabled && !unready) options.onClick(event);
  };
  const byKey = (event: KeyboardEvent): void => {
    if (ready || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    act(event);
  };
  return html`<vscode-button
    class="btn ${look} ${unready ? 'unready' : ''}"
    appearance=${look}
    id=${id ?? nothing}
    title=${title ?? (look === 'icon' ? label : nothing)}
    role=${ready ? nothing : 'button'}
    tabindex=${ready ? (options.tabIndex ?? nothing) : (options.tabIndex ?? 0)}
    ?disabled=${disabled}
    aria-disabled=${disabled || unready ? 'true' : nothing}
    .ariaDisabled=${live(disabled || unready ? 'true' : null)}
    aria-label=${look === 'icon' ? label : nothing}
    aria-expanded=${options.expanded === undefined ? nothing : String(options.expanded)}
    aria-pressed=${options.pressed === undefined ? nothing : String(options.pressed)}
    aria-haspopup=${options.opensMenu === true ? 'menu' : nothing}
    .ariaExpanded=${live(options.expanded === undefined ? null : String(options.expanded))}
    .ariaPressed=${live(options.pressed === undefined ? null : String(options.pressed))}
    @click=${act}
    @keydown=${byKey}
    >${
      icon === undefined
        ? nothing
        : look === 'icon'
          ? codicon(icon)
          : html`<span slot="start" class="codicon codicon-${icon}" aria-hidden="true"></span>`
    }${look === 'icon' ? nothing : label}</vscode-button
  >`;
}

export function codicon(name: string, more = ''): TemplateResult {
  return html`<i class="codicon codicon-${name} ${more}" aria-hidden="true"></i>`;
}

export function badge(text: string): TemplateResult {
  return html`<span class="badge">${text}</span>`;
}

export interface ChoiceOptions {
  readonly id: string;
  /** Of the group that it belongs to. */
  readonly name: string;
  /** A checkbox, not a radio button. */
  readonly several: boolean;
  readonly label: unknown;
  readonly description?: unknown;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

/** Not the toolkit's: those write inline styles, which the page's policy forbids. */
export function choice(options: ChoiceOptions): TemplateResult {
  const { id, name, several, label, description, chosen, onChoose } = options;
  return html`<div class="choice">
    <input
      type=${several ? 'checkbox' : 'radio'}
      id=${id}
      name=${name}
      aria-describedby=${description === undefined ? nothing : `${id}-d`}
      .checked=${live(chosen)}
      @change=${onChoose}
    />
    <label for=${id}>${label}</label>
    ${description === undefined ? nothing : html`<span class="dim" id=${`${id}-d`}>${description}</span>`}
  </div>`;
}

export interface FieldOptions {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly multiline: boolean;
  readonly onInput: (value: string) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** Elements that can be typed into have their text in `value`. */
function valueOf(target: EventTarget | null): string {
  return target instanceof Element && 'value' in target && typeof target.value === 'string' ? target.value : '';
}

/** A field that someone is typing in stays what it is until it is left, also when the toolkit arrives. */
export function field({ id, label, value, placeholder, multiline, onInput, onKey }: FieldOptions): TemplateResult {
  const input = (event: Event): void => onInput(valueOf(event.target));
  const current = document.getElementById(id);
  const typing = current !== null && current === document.activeElement && !current.localName.startsWith('vscode-');
  if (!ready || typing) {
    return multiline
      ? html`<textarea
          class="field"
          id=${id}
          aria-label=${label}
          placeholder=${placeholder}
          rows="1"
          .value=${value}
          @input=${input}
          @keydown=${onKey}
        ></textarea>`
      : html`<input
          class="field"
          id=${id}
          aria-label=${label}
          placeholder=${placeholder}
          .value=${value}
          @input=${input}
          @keydown=${onKey}
        />`;
  }
  // The toolkit takes the name from the content, whatever `aria-label` says; the label it would show is hidden.
  return multiline
    ? html`<vscode-text-area
        class="field"
        id=${id}
        placeholder=${placeholder}
        rows="1"
        resize="none"
        .value=${value}
        @input=${input}
        @keydown=${onKey}
        >${label}</vscode-text-area
      >`
    : html`<vscode-text-field
        class="field"
        id=${id}
        placeholder=${placeholder}
        .value=${value}
        @input=${input}
        @keydown=${onKey}
        >${label}</vscode-text-field
      >`;
}
