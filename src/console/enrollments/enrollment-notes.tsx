import { Button, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** The notes of a row: long ones are cut off, and shown in full when asked for. */
export function EnrollmentNotes({ notes, name }: { notes: string; name: string }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  // How much space there is depends on the window.
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const action = t(whole ? 'courses.change.less' : 'courses.change.all');
  return (
    <>
      <Text {...(!whole && { lineClamp: 3 })} size="sm" className="running-text" miw={whole ? 240 : 120} ref={watch}>
        {notes}
      </Text>
      {(whole || isCut) && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-expanded={whole}
          aria-label={t('courses.change.actionFor', { action, name })}
          onClick={() => setWhole(!whole)}
        >
          {action}
        </Button>
      )}
    </>
  );
}
