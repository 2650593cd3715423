/** The environment variable that holds an input of a blueprint where no one is asked: VITRINE_INPUT_ and its name. */
export function inputVariable(name: string): string {
  return `VITRINE_INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
