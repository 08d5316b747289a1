"""Huawei Ascend: the dialect for the Ascend 950 is `import tilelang.ascend.language as T`."""
