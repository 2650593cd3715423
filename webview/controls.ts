/**
 * All controls of the page, with the toolkit's elements if its policy permits them. The toolkit arrives after the first
 * entries: until then, similar plain elements with the same behaviour are used (styles/controls.css).
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';

const elements = ['vscode-button', 'vscode-text-area', 'vscode-text-field'] as const;
let areElementsDefined = false;

/** Changes once, when the toolkit's elements are defined; cached drawings must then be redrawn. */
export function areControlsReady(): boolean {
  return areElementsDefined;
}

/**
 * Calls `then` once the toolkit's elements are defined. It must draw immediately: until then, both an element and the button
 * inside it are buttons.
 */
export async function whenControlsReady(callback: () => void): Promise<void> {
  await Promise.all(elements.map((name) => customElements.whenDefined(name)));
  areElementsDefined = true;
  callback();
}

export interface ButtonOptions {
  readonly label: string;
  readonly onClick: (event: Event) => void;
  /** Codicon; the only visible content with `look: 'icon'`. */
  readonly icon?: string;
  readonly look?: 'primary' | 'secondary' | 'icon';
  readonly title?: string;
  readonly id?: string;
  readonly disabled?: boolean;
  /** Disabled, but still focusable. */
  readonly isUnready?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean;
  readonly opensMenu?: boolean;
  readonly tabIndex?: number;
}

/** The toolkit passes only some of these attributes to its inner button, which has the focus; hence the properties. */
export function button(options: ButtonOptions): TemplateResult {
  const { label, icon, look = 'secondary', title, id, disabled = false, isUnready = false } = options;
  const act = (event: Event): void => {
    if (!disabled && !isUnready) options.onClick(event);
  };
  const byKey = (event: KeyboardEvent): void => {
    if (areElementsDefined || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    act(event);
  };
  return html`<vscode-button
    class="btn ${look} ${isUnready ? 'unready' : ''}"
    appearance=${look}
    id=${id ?? nothing}
    title=${title ?? (look === 'icon' ? label : nothing)}
    role=${areElementsDefined ? nothing : 'button'}
    tabindex=${areElementsDefined ? (options.tabIndex ?? nothing) : (options.tabIndex ?? 0)}
    ?disabled=${disabled}
    aria-disabled=${disabled || isUnready ? 'true' : nothing}
    .ariaDisabled=${live(disabled || isUnready ? 'true' : null)}
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

export function codicon(name: string, classes = ''): TemplateResult {
  return html`<i class="codicon codicon-${name} ${classes}" aria-hidden="true"></i>`;
}

export function badge(text: string): TemplateResult {
  return html`<span class="badge">${text}</span>`;
}

export interface ChoiceOptions {
  readonly id: string;
  /** Name of its group. */
  readonly name: string;
  /** A checkbox, not a radio button. */
  readonly isMultiSelect: boolean;
  readonly label: unknown;
  readonly description?: unknown;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

/** Not the toolkit's, which write inline styles; the page's policy forbids those. */
export function choice(options: ChoiceOptions): TemplateResult {
  const { id, name, isMultiSelect, label, description, chosen, onChoose } = options;
  return html`<div class="choice">
    <input
      type=${isMultiSelect ? 'checkbox' : 'radio'}
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

/** Text inputs have their text in `value`. */
function valueOf(target: EventTarget | null): string {
  return target instanceof Element && 'value' in target && typeof target.value === 'string' ? target.value : '';
}

/** A field in use is not replaced until it loses focus, even when the toolkit arrives. */
export function field({ id, label, value, placeholder, multiline, onInput, onKey }: FieldOptions): TemplateResult {
  const input = (event: Event): void => onInput(valueOf(event.target));
  const current = document.getElementById(id);
  const typing = current !== null && current === document.activeElement && !current.localName.startsWith('vscode-');
  if (!areElementsDefined || typing) {
    return multiline
      ? html`<textarea
          class="field"
          id=${id}
          aria-label=${label}
          placeholder=${placeholder}
          rows="1"
          .value=${live(value)}
          @input=${input}
          @keydown=${onKey}
        ></textarea>`
      : html`<input
          class="field"
          id=${id}
          aria-label=${label}
          placeholder=${placeholder}
          .value=${live(value)}
          @input=${input}
          @keydown=${onKey}
        />`;
  }
  // The toolkit takes the name from the content and ignores `aria-label`; its visible label is hidden.
  return multiline
    ? html`<vscode-text-area
        class="field"
        id=${id}
        placeholder=${placeholder}
        rows="1"
        resize="none"
        .value=${live(value)}
        @input=${input}
        @keydown=${onKey}
        >${label}</vscode-text-area
      >`
    : html`<vscode-text-field
        class="field"
        id=${id}
        placeholder=${placeholder}
        .value=${live(value)}
        @input=${input}
        @keydown=${onKey}
        >${label}</vscode-text-field
      >`;
}
