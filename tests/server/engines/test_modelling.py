"""What a beginner asks of models, of the data before them, and of pictures in panels."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.server.engines.test_pictures import code, result

WINE = pd.DataFrame(
    {
        "alcohol": [13.1, 12.2, 14.0, 13.3],
        "malic_acid": [1.0, 2.0, 3.0, 2.5],
        "proline": [300.0, 500.0, 400.0, 450.0],
        "quality": ["low", "high", "low", "mid"],
    }
)
LOANS = pd.DataFrame({"age": [20, 40, 60], "income": [100.0, 200.0, 300.0], "default": [0, 1, 0]})


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("which features are most important for predicting quality? plot them", "ax = importance.plot.barh()"),
        (
            "confusion matrix as a heatmap for random forest on quality",
            "ConfusionMatrixDisplay.from_predictions(y_test",
        ),
        ("classification report for a decision tree predicting quality", "print(classification_report(y_test"),
        ("plot predicted vs actual proline for a linear regression", "ax.scatter(y_test, predicted)"),
        ("residual plot of a linear regression of proline on alcohol", "ax.scatter(predicted, y - predicted)"),
        (
            "fit a linear regression of proline on alcohol and plot the line",
            "model.predict(X.sort_values(X.columns[0]))",
        ),
        ("plot the decision tree for quality with depth 2", "plot_tree(model"),
        (
            "cluster the wines into 3 groups with kmeans and plot alcohol vs proline coloured by cluster",
            'ax.scatter(clusters["proline"], clusters["alcohol"], c=clusters["cluster"]',
        ),
        (
            "find the best k for knn predicting quality",
            "cross_val_score(KNeighborsClassifier(n_neighbors=n), X, y, cv=5)",
        ),
        ("scale all numeric columns except proline with StandardScaler", 'wine.drop(columns=["proline"])'),
        ("compare logistic regression and random forest for quality", '"malic_acid", '),
        ("histograms of all numeric columns in one figure", 'wine[["alcohol", "malic_acid", "proline"]].hist('),
        ("boxplots of all numeric columns in separate subplots", "plot.box(subplots=True"),
        ("scatter matrix of alcohol and proline", "pd.plotting.scatter_matrix("),
        ("histogram of alcohol and bar chart of quality side by side", "ax = amounts.plot.bar(ax=axes[1])"),
    ],
)
def test_a_beginner_gets_what_is_asked_of_a_model_or_before_it(prompt: str, line: str) -> None:
    assert line in code(prompt, wine=WINE)


def test_an_acid_is_no_number_of_a_row() -> None:
    assert '"malic_acid"' in code("train a decision tree to predict quality", wine=WINE)


def test_two_pictures_of_which_one_is_not_understood_are_refused() -> None:
    assert not code("histogram of alcohol and a sonnet about proline side by side", wine=WINE)


def test_x_and_y_are_told_apart_by_the_target() -> None:
    made = code("split into X and y with quality as target", wine=WINE)
    assert made.startswith('X = wine.drop(columns="quality")\ny = wine["quality"]')


def test_classes_are_compared_by_the_means_of_their_columns() -> None:
    found = result("compare the mean of each feature by quality", wine=WINE)
    assert isinstance(found, pd.DataFrame)
    assert found.loc["low", "proline"] == 350


def test_who_always_says_the_most_frequent_class_is_a_baseline() -> None:
    assert result("what is the accuracy if i always predict the most common quality", wine=WINE) == 0.5


def test_labels_become_numbers() -> None:
    found = result("label encode the quality column", wine=WINE)
    assert isinstance(found, pd.DataFrame)
    assert list(found["quality_code"]) == [1, 0, 1, 2]


def test_a_class_is_predicted_for_somebody_who_is_told_by_age() -> None:
    made = code("predict default for a 30 year old with income 250", loans=LOANS)
    assert "LogisticRegression" in made
    assert '{"age": [30], "income": [250]}' in made
