"""Guardrail rule example-upload: data leaves the institute by its old upload function."""

from spark_jupyter.guardrail.rule import Rule, always, on

RULE = Rule(
    id="example-upload",
    cwe=200,
    severity="block",
    message="This sends the data to the public share.",
    remedy="Use institute.store(), which keeps it inside.",
    bad=("import institute\ninstitute.upload(df)",),
    good=("import institute\ninstitute.store(df)",),
    calls=on("institute.upload", always),
)
