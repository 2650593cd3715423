import type { JsonObject } from '../../model/text/json.ts';
import { field, nonEmpty, objects } from '../shared/guards.ts';
import { shortMode } from './wire.ts';

/** A request to the agent, without the conversation's id. */
export interface SettingRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** The request that sets the option, or the ids that the agent accepts (none if it offers no choice). */
export type SettingChoice = { readonly request: SettingRequest } | { readonly offered: readonly string[] };

interface SettingOption {
  readonly id: string;
  readonly name: string;
  readonly request: SettingRequest;
}

/** `opened`: the answer that opened the conversation. */
export function chooseMode(opened: JsonObject, requested: string): SettingChoice {
  const modes = objects(field(opened['modes'], 'availableModes')).flatMap((mode): SettingOption[] => {
    const id = nonEmpty(mode['id']);
    if (id === undefined) return [];
    return [{ id, name: nameOf(mode, id), request: { method: 'session/set_mode', params: { modeId: id } } }];
  });
  return choose([...modes, ...configured(opened, 'mode')], requested);
}

export function chooseModel(opened: JsonObject, requested: string): SettingChoice {
  // Agents from before the protocol had options for it.
  const models = objects(field(opened['models'], 'availableModels')).flatMap((model): SettingOption[] => {
    const id = nonEmpty(model['modelId']);
    if (id === undefined) return [];
    return [{ id, name: nameOf(model, id), request: { method: 'session/set_model', params: { modelId: id } } }];
  });
  return choose([...configured(opened, 'model'), ...models], requested);
}

/** By id, by the short form of an id that is a URL, then by name; ignores case. */
function choose(offers: readonly SettingOption[], choice: string): SettingChoice {
  const lower = choice.toLowerCase();
  const found =
    offers.find(({ id }) => id === choice) ??
    offers.find(({ id }) => shortMode(id) === choice) ??
    offers.find(({ id, name }) => shortMode(id).toLowerCase() === lower || name.toLowerCase() === lower);
  if (found !== undefined) return { request: found.request };
  return { offered: [...new Set(offers.map(({ id }) => shortMode(id)))] };
}

/** The values of a category's option; an option without a category is recognized by its id. */
function configured(opened: JsonObject, category: string): SettingOption[] {
  const options = objects(opened['configOptions']).filter((configOption) => configOption['type'] === 'select');
  const option =
    options.find((candidate) => candidate['category'] === category) ??
    options.find((candidate) => candidate['id'] === category);
  const configId = nonEmpty(option?.['id']);
  if (option === undefined || configId === undefined) return [];
  const values = objects(option['options']).flatMap((choice) => [choice, ...objects(choice['options'])]);
  return values.flatMap((choice) => {
    const value = nonEmpty(choice['value']);
    if (value === undefined) return [];
    const request = { method: 'session/set_config_option', params: { configId, value } };
    return [{ id: value, name: nameOf(choice, value), request }];
  });
}

function nameOf(offer: JsonObject, id: string): string {
  return nonEmpty(offer['name']) ?? id;
}
