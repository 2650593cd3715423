import * as vscode from 'vscode';
import { isObject } from '../../../model/text/json.ts';

/** Descriptions of permission modes from the manifest, which VS Code has localized. */
export function modeTexts(settings: string): ReadonlyMap<string, string> {
  const manifest: unknown = vscode.extensions.getExtension('vitrine.vitrine')?.packageJSON;
  const contributes = isObject(manifest) ? manifest['contributes'] : undefined;
  const sections = isObject(contributes) ? contributes['configuration'] : undefined;
  const properties = Array.isArray(sections)
    ? sections.map((section) => (isObject(section) ? section['properties'] : {}))
    : [];
  const found = properties.map((property) =>
    isObject(property) ? property[`vitrine.${settings}.permissionMode`] : undefined,
  );
  const setting = found.find(isObject) ?? {};
  const { enum: modes, enumDescriptions: texts } = setting;
  if (!Array.isArray(modes) || !Array.isArray(texts)) return new Map();
  return new Map(modes.map((mode, at) => [String(mode), String(texts[at] ?? '')]));
}
