#pragma once
#include <json-c/json.h>

// To give back what a long text took; Glibc's module has it not.
#include <malloc.h>
