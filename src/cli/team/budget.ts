import { visibleLine } from '../../model/text/visibleText.ts';
import { budgetPeriods, budgetScopes, listBudgets, setBudget } from '../../team/budgets.ts';
import { withClient, type Login } from '../../team/database/connection.ts';
import { englishNumbers } from '../../text/numberFormat.ts';
import { UsageError, type CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';

/** `vitrine team budget [SCOPE[=NAME] day|month USD|none]`. @throws UsageError, TeamError */
export async function budget(
  { stdout }: CliContext,
  login: Login,
  args: readonly string[],
  json: boolean,
): Promise<number> {
  if (args.length > 0) {
    const change = changeOf(args);
    await withClient(login, (client) => setBudget(client, change.budget, change.limit));
    return 0;
  }
  const rows = await withClient(login, listBudgets);
  if (json) await writeLines(stdout, rows);
  else
    for (const { scope, key, period, limit_usd, spent_usd } of rows) {
      const name = key === '' ? scope : `${scope}=${key}`;
      const spent = `${englishNumbers.money(spent_usd)} of ${englishNumbers.money(limit_usd)}`;
      const mark = spent_usd >= limit_usd ? '  used up: runs wait' : '';
      stdout.write(`${visibleLine(`${name}  per ${period}  ${spent}${mark}`)}\n`);
    }
  return 0;
}

function changeOf([name = '', unitName, limit, ...others]: readonly string[]) {
  const next = 'Example: vitrine team budget member=alice month 100';
  const equals = name.indexOf('=');
  const scope = budgetScopes.find((budgetScope) => budgetScope === (equals < 0 ? name : name.slice(0, equals)));
  const key = equals < 0 ? '' : name.slice(equals + 1);
  const period = budgetPeriods.find((budgetPeriod) => budgetPeriod === unitName);
  if (scope === undefined || period === undefined || limit === undefined || others.length > 0)
    throw new UsageError('The budget is incomplete.', next);
  if ((scope === 'team') !== (key === '')) throw new UsageError(`"${name}" is not a valid budget.`, next);
  const usd = limit === 'none' ? null : Number(limit);
  if (usd !== null && !(usd >= 0 && Number.isFinite(usd)))
    throw new UsageError(`"${limit}" is not an amount in US dollars.`, next);
  return { budget: { scope, key, period }, limit: usd };
}
