/**
 * All controls of the page, made of the toolkit's elements where its policy lets them be. The toolkit arrives after the first entries: until then its
 * elements are plain ones that look alike (styles/controls.css) and do the same.
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';

const elements = ['vscode-button', 'vscode-text-area', 'vscode-text-field'] as const;
let ready = false;

/** Changes once, when the toolkit's elements are there; what is drawn once and kept must be drawn again then. */
export function controlsReady(): boolean {
  return ready;
}

/** Calls `then` once the toolkit's elements are defined. */
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
  readonly expanded?: boolean;
  readonly pressed?: boolean;
  readonly opensMenu?: boolean;
  readonly tabIndex?: number;
}

export function button(options: ButtonOptions): TemplateResult {
  const { label, icon, look = 'secondary', title, id, disabled = false } = options;
  const act = (event: Event): void => {
    if (!disabled) options.onClick(event);
  };
  const byKey = (event: KeyboardEvent): void => {
    if (ready || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    act(event);
  };
  return html`<vscode-button
    class="btn ${look}"
    appearance=${look}
    id=${id ?? nothing}
    title=${title ?? (look === 'icon' ? label : nothing)}
    role=${ready ? nothing : 'button'}
    tabindex=${ready ? (options.tabIndex ?? nothing) : (options.tabIndex ?? 0)}
    ?disabled=${disabled}
    aria-disabled=${disabled ? 'true' : nothing}
    aria-label=${look === 'icon' ? label : nothing}
    aria-expanded=${options.expanded === undefined ? nothing : String(options.expanded)}
    aria-pressed=${options.pressed === undefined ? nothing : String(options.pressed)}
    aria-haspopup=${options.opensMenu === true ? 'menu' : nothing}
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

/** A field that somebody is typing in stays what it is until it is left, also when the toolkit arrives. */
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
