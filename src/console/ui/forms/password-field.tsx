import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { attributeOf } from '../programme.js';

/** Password input whose show/hide button has a translated name. All password fields use it. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation();
  return <PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }} />;
}

const [minLength, blocklist] = attributeOf('meta[name="password-rules"]', 'content').split(' ');

/** Field for a chosen password, with the rules of the service. */
export function NewPasswordField(props: PasswordInputProps) {
  const { t } = useTranslation();
  return (
    <PasswordField
      description={t(blocklist === 'on' ? 'field.passwordRulesStrict' : 'field.passwordRules', {
        least: Number(minLength),
      })}
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
