# Installs weft from BUILD into WORK/prefix and builds tests/plugin/project against nothing but that.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/build)
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
file(READ ${SOURCE}/docs/embedding.md text)
string(REGEX MATCH "```cpp\n([^`]*)```" found "${text}")
if(NOT found)
  message(FATAL_ERROR "docs/embedding.md has no C++ block")
endif()
file(WRITE ${WORK}/embedding.cpp "${CMAKE_MATCH_1}")
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/plugin/project -B ${WORK}/build -DCMAKE_BUILD_TYPE=Release
     -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
     -DEMBEDDING_SOURCE=${WORK}/embedding.cpp)
step(${CMAKE_COMMAND} --build ${WORK}/build -j2)
