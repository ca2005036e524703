"""Functions of CEL's libraries that are not supported: each with the reason and an alternative.

Sources: cel-go, ext; Kubernetes, "CEL in Kubernetes"; Tekton Triggers, "CEL expression extensions"; Cerbos,
"Conditions"; Google Cloud IAM,
"Attribute reference for IAM Conditions".
"""

from __future__ import annotations

from msgspec import Struct


class Refused(Struct, frozen=True):
    """A function that is not supported: its library, why, and what to write instead."""

    library: str
    reason: str
    instead: str


def _rows(library: str, reason: str, instead: str, *names: str) -> dict[str, Refused]:
    return {name: Refused(library, reason, instead) for name in names}


_DIGEST = "a filter compares strings"

# Each function by its name, with its namespace where that is a word of its own.
TABLE: dict[str, Refused] = {
    **_rows("CEL", "engines have no unsigned integers", "write int()", "uint"),
    **_rows("CEL", _DIGEST, "compare with the string itself", "bytes"),
    **_rows(
        "CEL",
        "a type is not a value",
        "compare it with the name of a type, as in type(x) == string",
        "type",
    ),
    **_rows(
        "math", "its last digits differ from engine to engine", "compare the square instead", "math.sqrt"
    ),
    **_rows(
        "math",
        "engines have other operators for bits",
        "keep each bit as a field of its own",
        *(
            f"math.{name}"
            for name in ("bitAnd", "bitOr", "bitXor", "bitNot", "bitShiftLeft", "bitShiftRight")
        ),
    ),
    **_rows("optional", "what is empty depends on the type", "write a condition", "optional.ofNonZeroValue"),
    **_rows(
        "lists",
        "its key is a function of each element",
        "use isSorted(), min() or max(), or sort where the list is written",
        "sortBy",
    ),
    **_rows(
        "lists",
        "engines do not compare sorted lists",
        "use isSorted(), min() or max()",
        "sort",
    ),
    **_rows(
        "lists",
        "only a macro or the operator in supports lists of lists",
        "write xs.flatten().exists(x, ...), or x in xs.flatten()",
        "flatten",
    ),
    **_rows(
        "two-variable comprehensions",
        "a filter cannot create a map",
        "use all(), exists() or transformList() with a key and a value",
        "transformMap",
        "transformMapEntry",
    ),
    **_rows(
        "regex",
        "engines match different parts of a string",
        "use matches(), or split() with a constant separator",
        "find",
        "findAll",
        "regex.extract",
        "regex.extractAll",
    ),
    **_rows(
        "protovalidate",
        "it has another grammar than the URLs of Kubernetes",
        "use isURL(x), or matches() with the pattern that you accept",
        "isUri",
        "isUriRef",
    ),
    **_rows(
        "protovalidate",
        "it is a test of two parts",
        "use split(), isIp(), isHostname() and int()",
        "isHostAndPort",
        "isIpPrefix",
    ),
    **_rows(
        "Pipelines as Code",
        "its pattern is a glob",
        'write files.all.exists(f, f.startsWith("docs/"))',
        "pathChanged",
    ),
    **_rows(
        "encoders",
        "bytes may not be a valid string",
        "compare with the encoded string itself",
        "base64.decode",
        "base64.encode",
        "decodeb64",
    ),
    **_rows(
        "Kubernetes", "the parameters of a query have no order", "use contains() on the string", "getQuery"
    ),
    **_rows(
        "Kubernetes",
        "it calls the API server",
        "load its answer as a field",
        "allowed",
        "check",
        "errored",
        "serviceAccount",
    ),
    **_rows(
        "Kubernetes",
        "a network that is not constant cannot be translated",
        'name the network: cidr("10.0.0.0/8").containsIP(x)',
        "masked",
    ),
    **_rows(
        "Kubernetes",
        "the shortest form of an IPv6 address cannot be tested by a pattern",
        "use isIP()",
        "ip.isCanonical",
    ),
    **_rows(
        "Kubernetes",
        "versions are compared number by number",
        "keep the numbers of the version as fields",
        "semver",
        "isSemver",
    ),
    **_rows(
        "Kubernetes",
        "the named formats depend on the release of Kubernetes",
        "use matches() with the pattern of the format",
        "validate",
        "format.named",
    ),
    **_rows(
        "Tekton",
        "it reads a secret of the cluster, which a filter does not",
        "leave it to the interceptor",
        "compareSecret",
    ),
    **_rows(
        "Tekton",
        "PostgreSQL before 16 cannot test whether a string is JSON",
        "declare the field as json and load the parsed document",
        "parseJSON",
        "json.decode",
    ),
    **_rows("Tekton", "engines cannot read YAML", "load the parsed document as a json field", "parseYAML"),
    **_rows(
        "Tekton",
        "engines write JSON in different ways",
        "compare the parts of the document",
        "marshalJSON",
        "json.encode",
    ),
    **_rows(
        "Tekton",
        "it converts a string to a map",
        "use url(x).getHost(), getScheme() and their like, or split()",
        "parseURL",
    ),
    **_rows(
        "Kyverno",
        "it calls the cluster, or another service",
        "load the answer as a field",
        *(
            f"{name}.{verb}"
            for name, verbs in {
                "resource": ("Get", "List", "Post"),
                "http": ("Get", "Post"),
                "globalContext": ("Get",),
                "image": ("GetMetadata",),
                "generator": ("Apply",),
            }.items()
            for verb in verbs
        ),
        "verifyImageSignatures",
        "verifyAttestationSignatures",
    ),
    **_rows(
        "Kyverno",
        "the length of the parts of an image is not limited",
        'use startsWith(), contains() or split() on the string: x.split("/")[0]',
        "image",
        "registry",
        "repository",
        "identifier",
    ),
    **_rows(
        "Kyverno", "it converts a string to a map", 'use split(): x.split(":")[2]', "parseServiceAccount"
    ),
    **_rows(
        "Cerbos",
        "a hierarchy is a list with an order of its own",
        "use startsWith() on the string of the hierarchy",
        "hierarchy",
        "ancestorOf",
        "descendentOf",
        "commonAncestors",
        "immediateChildOf",
        "immediateParentOf",
        "overlaps",
        "siblingOf",
    ),
    **_rows(
        "IAM",
        "the tags of a resource are not in the request",
        'declare them as a map: resource.tags["123/env"] == "prod"',
        "matchTag",
        "matchTagId",
        "hasTagKey",
        "hasTagKeyId",
    ),
    **_rows("IAM", "it calls the service", "declare the attribute as a field", "api.getAttribute"),
    **_rows("IAM", "isSubset() is the same test", 'write xs.isSubset(["a", "b"])', "hasOnly"),
    **_rows("Envoy, Istio", "now() is the current time", "write now()", "time.now"),
}
