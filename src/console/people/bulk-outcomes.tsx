import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../ui/lists/plain-table.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';
import type { Outcome } from './bulk-actions.js';

/** Problems come first. */
const order = ['refused', 'unchanged', 'done'] as const;
const tones: Record<Outcome['outcome'], Tone> = { refused: 'bad', unchanged: 'off', done: 'good' };

/** Maximum of listed accounts; a group may have 100,000. */
const maxListed = 1000;

interface OutcomesProps {
  label: string;
  outcomes: readonly Outcome[];
  /** Whether outcomes are planned or past; planned invitations have texts of their own. */
  tense: 'future' | 'past' | 'invite';
}

/** Numbers of accounts by outcome, and a table of the accounts. */
export function Outcomes({ label, outcomes, tense }: OutcomesProps) {
  const { t } = useTranslation();
  const withPasswords = outcomes.some(({ password }) => password !== undefined);
  const sorted = order.flatMap((kind) => outcomes.filter(({ outcome }) => outcome === kind));
  return (
    <Stack gap="sm">
      <Group gap="xs" role="status">
        {order.map((kind) => {
          const count = outcomes.filter(({ outcome }) => outcome === kind).length;
          if (count === 0) return null;
          return (
            <StatusBadge key={kind} tone={tones[kind]}>
              {t(`people.bulk.${tense}.${kind}`, { count })}
            </StatusBadge>
          );
        })}
      </Group>
      <div className="outcome-list">
        <PlainTable
          label={label}
          head={[t('field.name'), t('people.bulk.outcome'), ...(withPasswords ? [t('field.newPassword')] : [])]}
          rows={sorted.slice(0, maxListed).map(({ id, name, outcome, reason, password }) => ({
            key: id,
            cells: [
              name ?? t('people.bulk.noAccount'),
              reason ?? t(`people.bulk.${tense}.one.${outcome}`),
              ...(withPasswords
                ? [
                    <bdi key="password" className="monospace">
                      {password ?? '–'}
                    </bdi>,
                  ]
                : []),
            ],
          }))}
        />
      </div>
      {sorted.length > maxListed && (
        <Text size="sm">{t('people.bulk.first', { most: maxListed, count: sorted.length })}</Text>
      )}
    </Stack>
  );
}
