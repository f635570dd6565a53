import { Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../api/queries.js';
import { GroupPicker } from '../pickers/group-picker.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { TextLink } from '../ui/links.js';
import { notifyDone } from '../ui/notify.js';
import type { Outcome } from './bulk-actions.js';
import { Outcomes } from './bulk-outcomes.js';
import { outcomesOfAdding } from './memberships.js';

interface AddToGroupDialogProps {
  /** People by id. */
  selected: ReadonlyMap<string, unknown>;
  /** @param changed whether people were added */
  onClose(changed: boolean): void;
}

/** Adds people to a chosen group. If some are refused, it stays open and lists the outcomes. */
export function AddToGroupDialog({ selected, onClose }: AddToGroupDialogProps) {
  const { t } = useTranslation();
  const [groupId, setGroupId] = useState<string>();
  const [result, setResult] = useState<readonly Outcome[]>();
  const change = useChange('changeMembers');
  const group = useApi('showGroup', { path: { id: groupId ?? '' } }, { enabled: groupId !== undefined }).data?.group;
  // The picker reads the same page.
  const isEmpty = useApi('listGroups', { query: { limit: 20 } }).data?.groups.length === 0;
  /** Whether people were added. A ref, because the dialog closes before the next render. */
  const changed = useRef(false);
  const count = selected.size;
  const name = t('people.bulk.action.add_to_group');

  async function add(): Promise<void> {
    if (!group) return;
    const body = { add: [...selected.keys()] };
    const { counts, outcomes } = await change.mutateAsync({ path: { id: group.id }, body });
    changed.current = true;
    if (counts.refused > 0) {
      setResult(outcomesOfAdding(outcomes, t));
      throw new Error(t('people.bulk.past.refused', { count: counts.refused }));
    }
    notifyDone(t('people.groups.added', { count: counts.done, group: group.name }));
  }

  return (
    <ConfirmDialog
      opened
      onClose={() => onClose(changed.current)}
      title={name}
      action={result ? undefined : t('people.bulk.confirm', { action: name, count })}
      dismiss={result && t('action.close')}
      disabled={group === undefined}
      onConfirm={add}
    >
      {result ? (
        <Outcomes outcomes={result} label={t('people.bulk.result')} tense="past" />
      ) : isEmpty ? (
        <Text size="sm">
          {t('people.groups.none')} <TextLink to="/groups">{t('nav.groups')}</TextLink>
        </Text>
      ) : (
        <GroupPicker label={t('field.group')} value={groupId} onChange={setGroupId} required />
      )}
    </ConfirmDialog>
  );
}
