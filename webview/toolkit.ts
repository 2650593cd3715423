import {
  provideVSCodeDesignSystem,
  vsCodeBadge,
  vsCodeButton,
  vsCodeProgressRing,
  vsCodeTextArea,
} from '@vscode/webview-ui-toolkit';

/** Defines the toolkit's custom elements; calling it twice is harmless. */
export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeBadge(), vsCodeButton(), vsCodeProgressRing(), vsCodeTextArea());
}
