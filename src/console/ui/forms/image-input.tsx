import { Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDone } from '../notify.js';
import { ConfirmDialog } from './confirm.js';
import { FormFailure } from './form-failure.js';
import { useUnsavedGuard } from './unsaved.js';

interface ImageInputProps {
  label: string;
  /** Renders the image at `url`, or the current image. */
  preview(url: string | undefined): ReactNode;
  /** Width of the preview in pixels. */
  width: number;
  onUpload(file: File, onProgress: (share: number) => void): Promise<void>;
  /** Removes the current image; absent if there is none. */
  onRemove?: () => Promise<void>;
}

/** Types that the service accepts: src/storage/images.ts. */
const imageTypes = 'image/png,image/jpeg,image/webp';

/** Lets the user choose an image, previews it, and uploads it after a confirmation. */
export function ImageInput({ label, preview, width, onUpload, onRemove }: ImageInputProps) {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState<string>();
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const [removing, setRemoving] = useState(false);
  const working = share !== undefined;
  const reset = useRef<() => void>(null);
  useUnsavedGuard(file !== null, [label]);

  useEffect(() => {
    if (!file) return undefined;
    const objectUrl = URL.createObjectURL(file);
    setUrl(objectUrl);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(objectUrl);
    };
  }, [file]);

  async function choose(chosen: File | null): Promise<void> {
    // Otherwise choosing the same file again would fire no event.
    reset.current?.();
    setFailure(undefined);
    if (!chosen) return;
    try {
      (await createImageBitmap(chosen)).close();
      setFile(chosen);
    } catch {
      // The browser gives no reason.
      setFailure(new Error(t('image.unreadable', { name: chosen.name })));
    }
  }

  async function send(): Promise<void> {
    if (!file || working) return;
    setFailure(undefined);
    setShare(0);
    try {
      await onUpload(file, setShare);
      setFile(null);
      notifyDone(t('image.saved'));
    } catch (error) {
      setFailure(error);
    } finally {
      setShare(undefined);
    }
  }

  return (
    <Group align="flex-start" role="group" aria-label={label}>
      <div className="clipped fixed-size">
        <Stack w={width}>{preview(url)}</Stack>
      </div>
      <Stack gap="xs" align="flex-start" maw={420}>
        <FormFailure>{failure}</FormFailure>
        {file ? (
          <>
            <Text size="sm">{t('image.preview', { name: file.name })}</Text>
            {working && (
              <Progress.Root w="100%">
                <Progress.Section value={share * 100} aria-label={t('image.sending')} />
              </Progress.Root>
            )}
            <Group gap="xs">
              <Button onClick={() => void send()} loading={working}>
                {t('image.upload')}
              </Button>
              <Button
                variant="default"
                disabled={working}
                onClick={() => {
                  setFile(null);
                  setFailure(undefined);
                }}
              >
                {t('action.cancel')}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Group gap="xs">
              <FileButton accept={imageTypes} resetRef={reset} onChange={(chosen) => void choose(chosen)}>
                {(props) => (
                  <Button variant="default" {...props}>
                    {t('image.choose')}
                  </Button>
                )}
              </FileButton>
              {onRemove && (
                <Button variant="default" onClick={() => setRemoving(true)}>
                  {t('image.remove')}
                </Button>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {t('image.hint')}
            </Text>
          </>
        )}
      </Stack>
      {onRemove && (
        <ConfirmDialog
          opened={removing}
          onClose={() => setRemoving(false)}
          title={t('image.removeTitle')}
          action={t('image.remove')}
          destructive
          onConfirm={onRemove}
        >
          {t('image.removeHint')}
        </ConfirmDialog>
      )}
    </Group>
  );
}
