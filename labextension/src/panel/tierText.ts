// A provider's tier in words: name, speed, price.

import type { TierInfo } from '../messages';
import { language, t } from '../translation';

/** A tier with its measured speed and its price, as far as they are known. */
export function tierText({ name, input_price: input, output_price: output, speed }: TierInfo): string {
  const price = input != null && output != null && `$${input} / $${output}`;
  return [name || t('standard'), speed && t('%1 tok/s', speed.toLocaleString(language())), price].filter(Boolean).join(' · ');
}
