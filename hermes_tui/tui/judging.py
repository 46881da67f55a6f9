"""What the screen needs to judge: the judgements of the open history, and their measures.

Everything here reads or writes a file: workers only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from hermes_tui.history.locate import Place
from hermes_tui.history.reader import History
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.evaluation import Evaluation, evaluate, settle
from hermes_tui.recall.judge import Grade, Judgement, Judgements, Topic, topic_of
from hermes_tui.recall.outcome import LineageHit
from hermes_tui.tui.service import Question

Marks = dict[str, Grade]


class Judging:
    """Judges answers of one history. All of it may raise HistoryError.

    current_session: the session as whose agent the searches are made.
    """

    def __init__(
        self, place: Place, store: Judgements, *, current_session: str | None = None
    ) -> None:
        self._place = place
        self._store = store
        self._current_session = current_session

    def topic(self, question: Question) -> Topic:
        """What is judged when a question's answer is. ValueError for a blank one."""
        return topic_of(
            question.text,
            {
                "sort": None if question.sort == "relevance" else question.sort,
                "current_session_id": question.current_session or self._current_session,
                "rewound": question.rewound,
            },
        )

    def marks(self, query: str) -> Marks:
        """The grades of a query, by root and by session id."""
        return self._store.read().marks(query)

    def judge(self, question: Question, hit: LineageHit, grade: Grade | None) -> Marks:
        """Keep a grade, or take one back; the grades of the query after that."""
        topic = self.topic(question)
        judgement = Judgement(topic, hit.root, hit.session_id, hit.message_id, grade, time.time())
        self._store.add([judgement])
        return self.marks(topic.query)

    def measure(self, question: Question, stop: Callable[[], bool]) -> Iterator[Evaluation]:
        """The measures of this query, then of every judged one. Raises Interrupted on `stop`."""
        query = self.topic(question).query
        with History.open(self._place, register=register) as history:
            judged = settle(history, self._store.read().judgements)
            own = [each for each in judged if each.query == query]
            yield evaluate(history, own, stop=stop)
            if len(judged) > len(own):
                yield evaluate(history, judged, stop=stop)
