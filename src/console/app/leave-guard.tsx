import { List, Text } from '@mantine/core';
import type { HistoryLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { confirmLeaving, hasLosses, type LeaveQuestion, useHasLosses, useLeaveQuestion } from '../ui/forms/guards.js';
import { router } from './router.js';

const tabOf = ({ search }: HistoryLocation): string | null => new URLSearchParams(search).get('tab');

/** Whether a navigation hides the page, or its tab. Other changes of the URL, such as sorting a list, hide nothing. */
const leavesPage = (from: HistoryLocation, to: HistoryLocation): boolean =>
  from.pathname !== to.pathname || tabOf(from) !== tabOf(to);

/** Continues a navigation that the question has stopped. */
function resume(action: string, from: HistoryLocation, to: HistoryLocation): void {
  const { history } = router;
  const options = { ignoreBlocker: true };
  if (action === 'PUSH') history.push(to.href, to.state, options);
  else if (action === 'REPLACE') history.replace(to.href, to.state, options);
  else history.go(to.state.__TSR_index - from.state.__TSR_index, options);
}

/**
 * Asks before unsaved input is lost by a link, by Back and Forward, or by signing out. Only for closing the tab, the browser
 * asks itself.
 */
export function LeaveGuard() {
  const question = useLeaveQuestion();
  const isNeeded = useHasLosses();
  useEffect(() => {
    // The dialog opens even if the network is away by then.
    if (isNeeded) ConfirmDialog.preload();
  }, [isNeeded]);
  useEffect(
    () =>
      router.history.block({
        enableBeforeUnload: hasLosses,
        // Stops every navigation, so that the URL stays that of the page while the dialog is open.
        async blockerFn({ currentLocation, nextLocation, action }) {
          if (!hasLosses() || !leavesPage(currentLocation, nextLocation)) return false;
          void confirmLeaving().then((leaves) => leaves && resume(action, currentLocation, nextLocation));
          return true;
        },
      }),
    [],
  );
  return <LeaveDialog question={question} />;
}

function LeaveDialog({ question }: { question: LeaveQuestion | undefined }) {
  const { t } = useTranslation();
  /** Last question: the dialog shows it until it has faded out. */
  const [shown, setShown] = useState(question);
  if (question && question !== shown) setShown(question);
  const losses = shown?.losses ?? [];
  const fields = losses.flatMap((loss) => ('fields' in loss ? loss.fields : []));
  const consequences = losses.flatMap((loss) => ('consequence' in loss ? loss.consequence : []));
  const endsWork = consequences.length > 0;
  return (
    <ConfirmDialog
      opened={question !== undefined}
      onClose={() => question?.answer(false)}
      title={t(endsWork ? 'leave.title' : 'unsaved.title')}
      action={t(endsWork ? 'leave.leave' : 'unsaved.leave')}
      dismiss={t(endsWork ? 'leave.stay' : 'unsaved.stay')}
      destructive
      onConfirm={async () => question?.answer(true)}
    >
      {consequences.map((consequence) => (
        <Text key={consequence}>{consequence}</Text>
      ))}
      {fields.length > 0 && (
        <>
          <Text>{t('unsaved.fields')}</Text>
          <List>
            {fields.map((field) => (
              <List.Item key={field}>{field}</List.Item>
            ))}
          </List>
        </>
      )}
    </ConfirmDialog>
  );
}
