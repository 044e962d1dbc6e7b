// Sentences of the kernel that only a page in another language needs.

import { ANSWER_TEXTS } from './answerTexts';
import { FINDING_TEXTS } from './findingTexts';
import { SESSION_TEXTS } from './sessionTexts';
import { SURPRISE_TEXTS } from './surpriseTexts';

export const TRANSLATED_TEXTS: readonly string[] = [...SURPRISE_TEXTS, ...FINDING_TEXTS, ...SESSION_TEXTS, ...ANSWER_TEXTS];
