import { useTranslation } from 'react-i18next';
import { type Saying, sayingOf, sayingOfService } from './messages.js';

/** Words, with their language where it isn't the page's: screen readers pronounce them by it. */
export const Said = ({ text, lang }: Saying) => <span lang={lang}>{text}</span>;

/** What a failure says. */
export function SaidOf({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return <Said {...sayingOf(error, t)} />;
}

/** Why the service refused the value of a field. @param isEmpty whether the field was left empty, which its label names */
export function FieldRefusal({ sentence, isEmpty }: { sentence: string; isEmpty: boolean }) {
  const { t } = useTranslation();
  return isEmpty ? t('problem.required') : <Said {...sayingOfService(sentence, t)} />;
}
