"""The hook on a training loop: it copies a batch of its loss, the gradient at the batch, and the points of a probe."""

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dml_viz.training.watch.ending import at_the_end_of, terminated
from dml_viz.training.watch.harmless import Harmless, Unwatched
from dml_viz.training.watch.message import MOST_ROWS, BatchCopy, Probe, frame_message, record_timing_event, values_message
from dml_viz.training.watch.pace import LONG, Pace
from dml_viz.training.watch.sender import Sender
from dml_viz.training.watch.steps import WORTH, Last, Values
from dml_viz.training.watch.tensors import (
    Columns,
    classes_of,
    copied_rows,
    evenly_spaced,
    floats_in,
    labels_of,
    proxies_of,
    require_module,
    rows_and_labels,
)

BATCH_ROWS = 256  # most rows of the batch that are sent beside a probe
SETTLED = 8  # frames after which the loop's log says how often they come


class Watching:
    """The watcher of a loop: it counts the calls of a loss, keeps their values, and copies the batches of some of them."""

    def __init__(
        self, sender: Sender, name: str, every: int, names: Sequence[str] | None, loss: nn.Module | None, share: float | None
    ) -> None:
        self.sender, self.name, self.names, self.pace = sender, name, names, Pace(every, share)
        self._harmless = Harmless(lambda words: self.sender.say(words))
        self.copying = Harmless(lambda words: self.sender.say(words))  # its time counts against the share of the loop's
        self._loss = weakref.ref(loss) if loss is not None else lambda: None
        self._probe: Probe | None = None
        self._net = ""
        self._handle: Any = None
        self._columns: Columns | None = None
        self._values, self._packed = Values(), 0  # the last step whose value is in a message
        self._taken: BatchCopy | None = None
        self._last: Last | None = None
        self._learnt: tuple[Tensor, int] | None = None  # the proxies, as they are now
        self._began = time.perf_counter()
        self._where = os.getpid(), threading.get_ident()
        self._ended = False
        self._end_no_more: Callable[[], object] = lambda: None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the loss, or a loss loaded from a file, is not watched."""
        return Unwatched, ()

    def hook_loss(self, net: nn.Module | None, probe: tuple[Any, Any] | None) -> None:
        """Hook the loss, in place of any earlier hook, and keep ``net`` to embed the points of ``probe``; it gets no hook."""
        with self._harmless:
            loss = require_module(self._loss())
            for earlier in [hook for hook in loss._forward_hooks.values() if isinstance(hook, Watching)]:
                earlier.remove()  # as where the cell of a notebook is run again
            self._columns = Columns(loss)
            self._handle = loss.register_forward_hook(self, with_kwargs=True)
            # Torch checks the key alone; a value of True would be logged by loops that log all numbers in their losses.
            loss._forward_hooks_with_kwargs[self._handle.id] = None  # type: ignore[assignment]
        with self._harmless:
            if (net is None) != (probe is None):
                raise TypeError("a probe needs the net that embeds it: watch(loss, net=net, probe=(x, y))")
            if net is not None and probe is not None:
                self._probe, self._net = Probe(net, *probe), type(net).__name__

    def remove(self) -> None:
        """End the watching: the last step is shown, and none after it."""
        if self._handle is not None:
            for handle in (self._handle, *(self._columns.handles if self._columns else ())):
                handle.remove()
        self.end()

    def end(self) -> None:
        """Show the last step, whatever that costs, since the loop is over."""
        process, thread = self._where
        if self._ended or os.getpid() != process:
            return
        self._ended = True
        self._end_no_more()
        with self._harmless:
            self._offer_last(probed=threading.get_ident() == thread)
        self.sender.close()

    def record_step(self, z: Any, y: Any, value: Any, grad: Any, proxies: Any) -> None:
        """Count a step of a loop without a module, and perhaps copy its batch."""
        with self._harmless:
            taken, value = self._counted(), torch.as_tensor(value)
            self._values.add(value)
            rows, labels = torch.as_tensor(z), labels_of(y)
            rows = rows.clone() if rows.is_inference() else rows  # it counts no writes into it
            self._learnt = None if proxies is None else (torch.as_tensor(proxies).detach(), 1)
            slope = None if grad is None else torch.as_tensor(grad).detach()
            if taken:
                with self.copying:
                    self._copy([rows], labels, value, slope)
            else:
                self._hold([rows, labels], value, slope)

    def __call__(self, loss: nn.Module, given: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
        """Count a call of the loss, keep its value, and perhaps copy its batch."""
        if torch.compiler.is_compiling() or not torch.is_grad_enabled():
            return
        with self._harmless:
            made = self._columns.pop_rows() if self._columns else []
            taken, every = self._counted(), (*given, *named.values()) if named else given
            value = output if isinstance(output, Tensor) else next(floats_in(output), None)
            self._values.add(value)
            rows: Sequence[Tensor]
            if not taken:
                rows = [*made, classes_of(made, every)] if made else [tensor for tensor in every if isinstance(tensor, Tensor)]
                self._hold(rows, value, None, bool(made))
                return
            rows, y = (made, classes_of(made, every)) if made else rows_and_labels(every)
            if made or rows[0].requires_grad:
                self._learnt = None if made else proxies_of(loss, rows[0].shape[1])
                with self.copying:
                    self._copy(rows, y, value, None)

    def _counted(self) -> bool:
        """Count a step; return whether its batch is copied."""
        pace = self.pace
        taken = pace.count_step(time.perf_counter(), self.copying.spent + self.sender.spent)
        if taken and pace.due == SETTLED and pace.wider:
            self.sender.say(pace.wider)
        if pace.step == 1:
            self._end_no_more = at_the_end_of(self, self._loss())
        if pace.step == 2:
            terminated.add(self)
            if (wait := pace.seconds_to_next_frame(self.copying.spent + self.sender.spent)) > LONG:
                self.sender.say(f"the next frame comes in about {wait:.0f} s: watching takes at most {pace.at_most}")
        return taken

    def _hold(self, given: Sequence[Tensor], value: Tensor | None, grad: Tensor | None, columns: bool = False) -> None:
        """Refer to a batch that is not copied, because it may be the last."""
        self._last = Last(self.pace.step, given, value, grad, columns=columns)
        if grad is None and self.pace.seconds_per_step > WORTH:
            self._last.hold_coming_gradients(given, value)

    def _copy(self, rows: Sequence[Tensor], y: Tensor, value: Tensor | None, grad: Tensor | None) -> None:
        if self._taken and not self._taken.sent:
            self._offer(self._taken)  # the last batch, whose gradient never came
        taken = self._taken = self._copied(self.pace.step, [part.detach() for part in rows], y, value)
        if grad is not None or not all(part.requires_grad for part in rows):
            taken.grad = None if grad is None else copied_rows(grad, self._places(len(grad)))
            self._offer(taken)
            return
        if value is not None and value.requires_grad and value.numel() == 1:
            value.register_hook(self.copying.hook(lambda slope: setattr(taken, "seed", slope.detach().clone())))
        slopes: dict[int, Tensor] = {}

        def received(index: int, slope: Tensor) -> None:
            slopes[index] = slope.detach()
            if len(slopes) == len(rows):
                every = torch.cat([slopes[k] for k in range(len(rows))])
                taken.grad = copied_rows(every, self._places(len(every)))
                self._offer(taken)

        for index, part in enumerate(rows):
            part.register_hook(self.copying.hook(partial(received, index)))

    def _copied(self, step: int, rows: Sequence[Tensor], y: Tensor, value: Tensor | None) -> BatchCopy:
        batch = torch.cat(list(rows)) if len(rows) > 1 else rows[0]
        indices = self._places(len(batch))
        mean = None if value is None else value.detach().float().mean()
        learnt = (self._learnt[0].detach().clone(), self._learnt[1]) if self._learnt else None
        taken = BatchCopy(step, copied_rows(batch, indices), copied_rows(y.detach(), indices), len(batch), mean, learnt)
        if self._probe:
            began = record_timing_event(batch.device)
            taken.probe = self._probed(max(32, len(batch)))
            taken.marks = began, record_timing_event(batch.device)
        return taken

    def _places(self, rows: int) -> slice | np.ndarray:
        return evenly_spaced(rows, BATCH_ROWS if self._probe else MOST_ROWS)

    def _probed(self, chunk: int) -> Tensor | None:
        assert self._probe
        try:
            return self._probe.embed(chunk)
        except Exception as error:
            self._probe = None
            self.sender.say(f"the probe is left out, and batches are shown: {type(error).__name__}: {error}")
            return None

    def _offer_last(self, *, probed: bool) -> None:
        taken, last = self._taken, self._last
        if taken and not taken.sent and (last is None or taken.step > last.step):
            self._offer(taken)
        elif last and last.step == self.pace.step and (batch := last.batch()) and (probed or not self._probe):
            rows, y, grad = batch
            newest = self._copied(last.step, rows, y, last.value)
            if grad is not None:
                newest.grad, newest.seed = copied_rows(grad, self._places(len(grad))), last.seed
            self._offer(newest)

    def _offer(self, taken: BatchCopy) -> None:
        taken.sent = True
        self.sender.offer_latest(partial(self._message, taken), self, wait=self.pace.takes_all)

    def rest(self) -> bytes | None:
        """The message of the loss's values that no frame has taken along; None without any."""
        facts, values = self._facts()
        return values_message(facts, values) if len(values) else None

    def mark_values_delivered(self) -> None:
        """Note that the newest message has arrived."""
        self._values.forget_delivered(self._packed)

    def _message(self, taken: BatchCopy) -> bytes:
        """The message of a frame."""
        facts, values = self._facts()
        began, ended = taken.marks
        body = frame_message(taken, facts, values, self._probe, self.names, images=self.sender.wants_images)
        if ended:  # recorded by now, because the probe's rows have been copied
            self.sender.spent += began.elapsed_time(ended) / 1000
        return body

    def _facts(self) -> tuple[dict[str, Any], np.ndarray]:
        """Facts about the loop for the header of a message, and the values of its loss that wait."""
        first, values = self._values.undelivered()
        self._packed = first + len(values) - 1
        facts = {
            "run": self.sender.run,
            "name": self.name,
            "net": self._net,
            **self.pace.facts,
            "delivered": self.sender.delivered,
            "seconds": time.perf_counter() - self._began,
            "first": first,
            "wait": self.pace.seconds_to_next_frame(self.copying.spent + self.sender.spent),
        }
        return facts, values
