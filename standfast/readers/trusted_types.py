"""The types that a skops file may hold without anybody's consent."""

# What a skops file may hold without asking, beyond what skops itself trusts (scikit-learn's public
# estimators, numpy's arrays, random states and ufuncs such as log1p). Nothing here runs code that a
# file chooses.
TRUSTED = (
    # trees: skops leaves them out because scikit-learn follows their node numbers unchecked, so
    # that a damaged file crashes the process; standfast checks these numbers after loading
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    # how gradient boosting bins inputs and turns log-odds into probabilities: numbers and formulas
    # (skops before 0.16 does not know them; scikit-learn before 1.6 names the module `_loss`)
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn._loss.loss.ExponentialLoss",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.link.HalfLogitLink",
    "sklearn._loss.link.Interval",
    "_loss.CyHalfBinomialLoss",
    "_loss.CyExponentialLoss",
    # what scorecards' transformers keep: a number type (bins, imputers), a spline's polynomial with
    # the function that turns its input into an array, a function that clips, which columns to take
    "numpy.dtype",
    "numpy.clip",
    "scipy.interpolate._bsplines.BSpline",
    "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.compose._column_transformer._RemainderColsList",
    # how histogram boosting checks its numbers beside categories
    "sklearn.utils.validation.check_array",
    # calibrated, voting and stacking classifiers: containers of estimators that are checked too
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.utils._bunch.Bunch",
    # what a search for settings or for a threshold remembers of how it chose: folds and measures,
    # never used to predict
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._ranking.roc_auc_score",
    "sklearn.metrics._ranking.average_precision_score",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.brier_score_loss",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
    # a neural network's training state: step sizes and moments
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)

# What is looked at after loading: histogram boosting keeps its check of numbers as a function with
# settings, and with any other function inside such a thing is refused.
CHECKED_LATER = ("functools.partial",)
