"""Many models on one lattice: what a share of them accepts is searched here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.models import Additive, Linear, Score, TreeEnsemble
from standfast.models.score import CLEARANCE
from standfast.methods.neighbourhood import Jury, Nodes, Views, look_around
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.search import person
from standfast.search.lattice import Actions, Lattice
from standfast.search.price import CHANGE, Matrix, Price, Vector
from standfast.search.program import CLEARANCE_32, Program


@dataclass(frozen=True, eq=False)
class Crowd:
    lattice: Lattice
    nodes: Nodes
    jury: Jury
    sums: Program
    counted: int

    @classmethod
    def build(cls, musts, margins, counted, domain, percentiles, price, actions):
        models = [*musts, *counted]
        margins = [*margins, *([0.0] * len(counted))]
        trees = [m for m in models if isinstance(m, TreeEnsemble)]
        cuts = _cuts(trees, len(domain))
        law = Program.build([m for m in models if not isinstance(m, TreeEnsemble)],
              [g for m, g in zip(models, margins) if not isinstance(m, TreeEnsemble)], domain, percentiles, price, actions)
        # TODO sums
        summed = (domain.half_spaces.A != 0).any(axis=0)
        lattice = Lattice.build(domain, percentiles, price, cuts, list(summed), actions)
        from standfast.search.program import _along, _law
        contributions=[_along(lattice,_law(w)) for w in domain.half_spaces.A]
        needs=[-b-0.9e-9 for b in domain.half_spaces.b]
        row=list(range(len(needs)))
        laws=len(needs)
        ms=[0]*(laws)
        parts=[]; starts=[0]*laws+[0]; 
        roots=[];n=0;nt=0
        F,C,L,V=[],[],[],[]
        mstart=[0]*(laws)+[0]
        for m,g in zip(models,margins):
            t=m.trees
            cut=np.zeros(len(t.left),np.int32); inner=~t.leaf
            order=np.argsort(t.feature,kind="stable")
            for j in np.unique(t.feature[inner]):
                here=np.flatnonzero(inner&(t.feature==j)); cut[here]=np.searchsorted(cuts[j],t.split[here])
            F.append(t.feature.astype(np.int16)); C.append(cut); L.append((t.left+n).astype(np.int32)); V.append(t.value/m.divisor)
            roots.append(t.roots+n); n+=len(t.left); nt+=len(t.roots); mstart.append(nt)
            cl=CLEARANCE_32 if m.single else CLEARANCE
            needs.append(m.cutoff(g+cl)-m.offset/m.divisor); row.append(-1)
        nodes=Nodes(np.concatenate(F),np.concatenate(C),np.concatenate(L),np.concatenate(V),np.concatenate(roots).astype(np.int32),np.array(mstart))
        jury=Jury(np.array(needs),np.array(row,np.int32),laws,laws+len(musts))
        self=cls(lattice,nodes,jury,law,len(counted))
        object.__setattr__(self,'contributions',np.array(contributions).reshape(len(contributions),len(lattice.values)))
        return self

    def person(self, x):
        return Person(self, x)


class Person:
    def __init__(self, crowd, x):
        self.crowd=crowd; lattice=crowd.lattice
        places,cells=lattice.own(x[None])
        from standfast.search.program import _contributions,_law
        sums=[_law(w) for w in lattice.domain.half_spaces.A]
        own=np.array([_contributions(m,x[None]) for m in sums]).reshape(len(sums),1,len(x)).transpose(1,0,2)
        self.levels=person.no_levels(lattice,len(crowd.contributions))
        person.set_levels(self.levels,x,places[0],cells[0],np.ascontiguousarray(own[0]),lattice.starts,lattice.values,lattice.places,lattice.cells,lattice.whole_cells,lattice.direction,crowd.contributions,lattice.price.per_change/lattice.scale+CHANGE,lattice.price.squared,np.inf)
        lv=self.levels
        self.columns=np.concatenate(([0],np.cumsum(lv.counts+1)))
        n=self.columns[-1]
        self.input=np.repeat(np.arange(len(x)),lv.counts+1)
        self.level=np.arange(n)-self.columns[self.input]
        self.cost=lv.cost[self.input,np.minimum(self.level,lv.counts[self.input]-1)]
        self.views=Views(np.empty(n,bool),np.empty(n,bool),np.empty(n,np.int64),np.empty(n),np.empty(n))
        self.looks=0
    def look(self,p):
        look_around(self.crowd.nodes,self.crowd.jury,self.levels,self.columns,p,self.views)
        self.looks+=1
        return self.views
    def point(self,p):
        return self.levels.value[np.arange(len(p)),p]
    def at(self,point):
        """Levels of a point (cell-equivalent)."""
        p=np.empty(len(point),np.int64)
        for j in range(len(point)):
            k=np.searchsorted(self.levels.value[j,:self.levels.counts[j]],point[j])
            p[j]=min(k,self.levels.counts[j]-1)
        return p


def _cuts(trees, width):
    found=[[np.empty(0)] for _ in range(width)]
    for model in trees:
        inner=~model.trees.leaf
        for j in np.unique(model.trees.feature[inner]):
            found[j].append(model.trees.split[inner&(model.trees.feature==j)])
    return [np.unique(np.concatenate(parts)) for parts in found]
