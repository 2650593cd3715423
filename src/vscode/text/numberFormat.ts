import * as vscode from 'vscode';
import { NumberFormat } from '../../text/numberFormat.ts';

/** Formats figures in VS Code's display language. */
export const figures = new NumberFormat(vscode.env.language);
