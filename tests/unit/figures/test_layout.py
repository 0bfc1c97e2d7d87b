"""No text is cut, and none lies on another, however many rivals there are."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg

from standfast.figures import EXHIBITS, bounds, invariance, surprise, transfer
from standfast.figures.style import drawing


class Recorder(RendererAgg):
    """A renderer that remembers where text was really drawn."""

    def __init__(self, page):
        super().__init__(*(page.get_size_inches() * page.dpi), page.dpi)
        self.boxes = {}

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if mtext is not None and s.strip():
            self.boxes[id(mtext)] = (mtext.get_text(), mtext.get_window_extent(self))


def texts(page):
    recorder = Recorder(page)
    page.draw(recorder)
    return list(recorder.boxes.values())


def collisions(found, slack=1.0):
    low = np.array([box.min for _, box in found])
    high = np.array([box.max for _, box in found])
    for k, (one, _) in enumerate(found):
        shared = np.minimum(high[k], high[:k]) - np.maximum(low[k], low[:k])
        for other in np.flatnonzero((shared > slack).all(axis=1)):
            yield one, found[other][0]


# crowded tables differ from the others in what these show, and in nothing else
CROWDED = (transfer, surprise, bounds, invariance)


@pytest.mark.parametrize(
    ("which", "exhibit"),
    [*(("tables", each) for each in EXHIBITS), *(("crowded", each) for each in CROWDED)],
    ids=lambda one: one if isinstance(one, str) else one.__name__.rpartition(".")[2],
)
def test_no_text_is_cut_or_covered(request, which, exhibit):
    with drawing():
        for sheet in exhibit.sheets(request.getfixturevalue(which)):
            found, edge = texts(sheet.page), sheet.page.bbox
            assert len(found) > 5
            for text, box in found:
                assert edge.x0 <= box.x0, text
                assert box.x1 <= edge.x1, text
                assert edge.y0 <= box.y0, text
                assert box.y1 <= edge.y1, text
            assert list(collisions(found)) == []
