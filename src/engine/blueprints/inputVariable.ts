/** Environment variable with an input's value for runs without a user: `VITRINE_INPUT_` and its name. */
export function inputVariable(name: string): string {
  return `VITRINE_INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
