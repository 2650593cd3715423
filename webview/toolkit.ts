/** The second chunk: the toolkit's elements, wanted only after the first entries are on screen. */
import {
  provideVSCodeDesignSystem,
  vsCodeBadge,
  vsCodeButton,
  vsCodeTextArea,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

provideVSCodeDesignSystem().register(vsCodeBadge(), vsCodeButton(), vsCodeTextArea(), vsCodeTextField());
